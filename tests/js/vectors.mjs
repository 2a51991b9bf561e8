// Reads the vectors that the Python twins are tested against too.
import { readFileSync } from "node:fs";

export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), "utf8"));
}
