import "react";

declare module "react" {
  interface CSSProperties {
    "--ds-c"?: string;
    "--ds-at"?: string;
    "--ds-share"?: string;
    "--ds-ratio"?: number;
    "--ds-far-name"?: string;
  }
}
