import "react";

declare module "react" {
  interface CSSProperties {
    "--ds-c"?: string;
    "--ds-ports"?: number;
    "--ds-low"?: string;
    "--ds-at"?: string;
    "--ds-from"?: string;
    "--ds-line"?: string;
    "--ds-share"?: string;
    "--ds-wrong"?: number;
    "--ds-px"?: string;
    "--ds-head"?: string;
    "--ds-x"?: string;
    "--ds-y"?: string;
    "--ds-gap"?: string;
    "--ds-dot-size"?: string;
    "--ds-ratio"?: number;
    "--ds-far-name"?: string;
    "--ds-cell"?: string;
    "--ds-tall"?: string;
    "--ds-part"?: number;
    "--ds-in"?: number;
    "--ds-out"?: number;
  }
}
