import { describe, expect, it } from "vitest";
import { inServer } from "../src/server";

describe("a file of the machine", () => {
  it.each([
    ["/data", "/data/photos/a.jpg", "photos/a.jpg"],
    ["/data/", "/data/a.jpg", "a.jpg"],
    ["~", "/home/me/photos/a.jpg", "photos/a.jpg"],
    ["~/work", "/root/work/a.jpg", "a.jpg"],
    ["~/work", "C:\\Users\\me\\work\\a b.jpg", "a b.jpg"],
    ["/data", "/data2/a.jpg", ""],
    ["~/work", "/srv/work/a.jpg", ""],
  ])("is found in the server's folder %s: %s", (root, path, found) => {
    expect(inServer(root, path)).toBe(found);
  });
});
