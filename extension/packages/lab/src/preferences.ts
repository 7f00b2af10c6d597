/** The language in which the settings want programs; empty where the kernel chooses one that it has. */
export function languageIn(composite: Readonly<Record<string, unknown>> | undefined): string {
  const dialect = composite?.dialect;
  return typeof dialect === "string" && dialect !== "automatic" ? dialect : "";
}
