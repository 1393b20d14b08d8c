;;; driver.el --- What the tests do in Emacs, beside what its user has from docs/editors.md.  -*- lexical-binding: t -*-

(require 'json)
(require 'cl-lib)

(setq make-backup-files nil
      auto-save-default nil
      create-lockfiles nil
      confirm-kill-processes nil
      enable-local-variables nil
      eglot-confirm-server-initiated-edits nil
      vc-handled-backends '(Git))

(defun drive (file)
  "Evaluate the form that FILE holds; its value, or its error, as JSON in base64, which every terminal leaves alone."
  (let ((answer (condition-case problem
                    (with-current-buffer (window-buffer) ; emacsclient has another one
                      (list :value (eval (drive-read file) t)))
                  (error (list :error (error-message-string problem))))))
    (base64-encode-string (encode-coding-string (json-encode answer) 'utf-8) t)))

(defun drive-read (file)
  "The form that FILE holds."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix))
      (insert-file-contents file))
    (read (current-buffer))))

(defun drive-until (seconds probe)
  "Call PROBE whenever a process has said something, until it gives a value, for SECONDS at most."
  (with-timeout (seconds (error "Not within %s s; messages: %s" seconds (drive-messages)))
    (let (value)
      (while (not (setq value (funcall probe)))
        (accept-process-output nil 0.05))
      value)))

(defun drive-messages ()
  "The end of what Emacs has told its user."
  (with-current-buffer (messages-buffer)
    (buffer-substring-no-properties (max (point-min) (- (point-max) 800)) (point-max))))

(defun drive-open (file seconds)
  "Visit FILE, and wait until the language server manages it."
  (switch-to-buffer (find-file-noselect file))
  (eglot-ensure)
  (run-hooks 'post-command-hook)
  (drive-until seconds (lambda () (and (eglot-managed-p) (eglot-current-server))))
  (buffer-name))

(defun drive-hover (seconds)
  "What is shown of the thing at point."
  (let (said)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq said (list text))))
    (drive-until seconds (lambda () said))
    (and (car said) (substring-no-properties (car said)))))

(defun drive-marks ()
  "The diagnostics of the buffer: text and line."
  (vconcat
   (mapcar (lambda (mark)
             (list :text (flymake-diagnostic-text mark)
                   :on (buffer-substring-no-properties (flymake-diagnostic-beg mark) (flymake-diagnostic-end mark))))
           (flymake-diagnostics))))

(defun drive-answering (answer function)
  "Call FUNCTION, while whatever asks its user to choose is given ANSWER; the value, and what was asked."
  (let (asked)
    (cl-letf (((symbol-function 'completing-read)
               (lambda (prompt choices &rest _)
                 (setq asked (list :prompt (substring-no-properties prompt)
                                   :choices (vconcat (mapcar (lambda (c) (if (consp c) (car c) c)) choices))))
                 answer))
              ((symbol-function 'y-or-n-p)
               (lambda (prompt) (setq asked (list :prompt prompt :choices ["y" "n"])) t)))
      (list :value (funcall function) :asked asked))))

(defun drive-offered ()
  "What completion at point offers."
  (pcase (eglot-completion-at-point)
    (`(,start ,end ,table . ,_)
     (vconcat (mapcar #'substring-no-properties
                      (all-completions (buffer-substring-no-properties start end) table))))))

(defun drive-act (title seconds)
  "Let the user choose TITLE of the code actions at point, as soon as it is there."
  (drive-until seconds
               (lambda () (seq-some (lambda (action) (equal (plist-get action :title) title))
                                    (eglot-code-actions (point) (point)))))
  (drive-answering title (lambda () (let ((last-nonmenu-event t)) (eglot-code-actions (point) (point) nil t)))))

(defun drive-ask (text method params)
  "Send a request METHOD about TEXT, which the buffer holds from now on; the result."
  (erase-buffer)
  (insert text)
  (eglot--signal-textDocument/didChange)
  (jsonrpc-request (eglot-current-server) method
                   (append (list :textDocument (eglot--TextDocumentIdentifier)) params)
                   :timeout 30))

;;; driver.el ends here
