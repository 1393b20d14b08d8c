// Style sheets are bundled by esbuild.

declare module "*.css";
