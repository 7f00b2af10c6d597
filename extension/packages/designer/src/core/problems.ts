import type { Diagnostic } from "../protocol/generated";
import { inputOf } from "./catalog";
import { isBegun, looseFiles } from "./data";
import * as format from "./format";
import { nodeOf, type Slot } from "./graph";
import { findingsAt, isStopped, operatorOf, severity } from "./select";
import type { State } from "./state";

/** What samples have wrong with them, by words that messages about them have. */
const SAMPLES: readonly (readonly [RegExp, string])[] = [
  [/\bJPEG\b.*\bends after\b/, "This JPEG file ends early"],
  [/\bempty\b/, "This file is empty"],
  [/\bends\b|\bcut off\b|\btruncated\b/, "This file ends early"],
  [/\bnot an? (supported )?image\b/i, "This file is not an image"],
  [/\bbroken\b|\bdamaged\b|\bcorrupt/, "This file is damaged"],
  [/\bnot supported\b|\bsupported:/, "This kind of file cannot be read"],
  [/\bcannot be read\b|\bno such file\b/i, "This file could not be opened"],
  [/\bGPU\b.*\bmemory\b/, "The GPU has no memory left"],
  [/\bmemory\b/, "This does not fit into memory"],
];

const LOOSE = "This folder has no folders of classes";

/** What is wrong with data and with what is written, likewise. */
const FILES: readonly (readonly [RegExp, string])[] = [
  [/\bholds something else\b/, "This file holds other code"],
  [/\b(could not be|nothing was) written\b/, "This file could not be written"],
  [/No such file or directory/, "There is no such folder"],
  [/\bhas no sub-folders\b/, LOOSE],
  [/\bno file in the\b/, "This folder has no files to read"],
  [/\bfolder\b/, "This folder could not be opened"],
];

const VALUES: readonly (readonly [RegExp, string])[] = [[/^the window\b.* not fit\b/, "The window does not fit"]];

const TITLES: Readonly<Record<string, string>> = {
  "": "This code has not run",
  DS101: "This operator is unknown",
  DS102: "This argument is unknown",
  DS103: "A value is missing",
  DS104: "A value of another type is needed",
  DS105: "A value is out of range",
  DS106: "This is not supported here",
  DS107: "This argument takes no wire",
  DS201: "An input is missing",
  DS202: "There is no such input",
  DS203: "This input does not fit",
  DS204: "The wires run in a circle",
  DS205: "Nothing is returned",
  DS206: "This device is not here",
  DS207: "It cannot run on this device",
  DS208: "This name is taken",
  DS209: "This node is gone",
  DS302: "This file could not be opened",
  DS303: "The data has come to its end",
  DS304: "It cannot run as it is",
  DS305: "The operator failed",
  DS401: "This document is not valid",
  DS402: "This document is newer",
  DS403: "Operators are not what they were",
  DS501: "The program cannot say this",
  DS502: "This part was not understood",
  DS503: "This differs from its library",
  DS504: "Its settings were left out",
  DS601: "A package is missing",
};

/** What Python said of a function: in which line, by which name. */
const FAILED = /^the function (?:gave\b|failed( in line \d+|) with (\w+): )/i;

/** A transform that has no operator. */
const LEFT_OUT = /^(\w+) was left out: ([^.]+)/;

/** Title of a reader that is told nothing; its hint says what to give. */
const UNREAD = "Nothing to read is given";

/** What did not go with its picture: "The boxes are not flipped". */
const UNMOVED = /^The \w+ (is|are) not \w+/;

/** A few plain words for a finding. */
export function titleOf(d: Diagnostic): string {
  const known = { DS105: VALUES, DS301: SAMPLES, DS302: FILES }[d.code];
  const sample = known?.find(([words]) => words.test(d.message))?.[1];
  if (d.code === "DS103" && isBegun(d)) return UNREAD;
  const [unmoved] = (d.code === "DS210" && UNMOVED.exec(d.message)) || [];
  if (unmoved) return unmoved;
  const root = d.code === "DS302" && /'\$\{(\w+)\}/.exec(d.message)?.[1];
  if (root) return `This machine does not know ${root}`;
  if (d.code === "DS503" && LEFT_OUT.test(d.message)) return "A step was left out";
  if (looseFiles(d)) return LOOSE;
  if (d.code === "DS105" && /wired value has shape/i.test(d.message)) return `The wire to ${d.argument} does not fit`;
  if (isStopped(d)) return format.sentence(d.message).replace(/\.$/, "");
  const [failed, line, error] = FAILED.exec(d.message) ?? [];
  if (failed) return error ? error + line : "The function failed";
  if (/exclude each other/.test(d.message)) return "Only one of these can be given";
  if (d.code === "DS105" && d.argument) return sample ?? `${d.argument} is out of range`;
  return sample ?? TITLES[d.code] ?? "This sample could not be made";
}

/** What of transforms was left out, whole steps first, and how much nodes do otherwise, as a sentence with a blank before it. */
export function differing(found: readonly Diagnostic[]): string {
  const all = found.filter((d) => d.code === "DS503");
  const named = (what: RegExp) => all.flatMap((d) => what.exec(d.message)?.[1] ?? []);
  const steps = named(LEFT_OUT);
  const left = named(/: ((?:\w+, )*\w+) (?:is|are) left out\b/);
  const other = all.length - left.length - steps.length;
  const [why] = all.flatMap((d) => LEFT_OUT.exec(d.message)?.[2] ?? []);
  const said = [
    why && (steps[1] ? `${steps.length} steps were left out: ${steps.join(", ")}` : `1 step was left out: ${why}`),
    left[0] && `left out: ${left.join(", ")}`,
    other > 0 && format.plural(other, "difference from the library", "differences from the library"),
  ];
  return all[0] ? ` ${format.sentence(said.filter(Boolean).join("; "))}: see Problems.` : "";
}

/** What a finding says beyond its title. */
export function wordsOf(d: Diagnostic): string {
  const words = format.sentence(format.message(d.message).replace(/^the (function f.*?|\w+ (is|are) not \w+): /i, ""));
  const title = titleOf(d);
  return title === UNREAD || words === `${title}.` ? "" : words;
}

/** What is wrong at an input or an argument, by the name that findings give it. */
export function findingFor(state: State, slot: Slot): Diagnostic | undefined {
  if (slot.kind === "output") return undefined;
  const found = findingsAt(state, slot.node).filter((d) => d.argument && severity(d) !== "info");
  if (!found[0]) return undefined;
  const operator = operatorOf(state, nodeOf(state.graph, slot.node));
  const schema = slot.kind === "input" ? inputOf(operator, slot.input) : undefined;
  let name = slot.kind === "argument" ? slot.argument : (schema?.name ?? `input ${slot.input + 1}`);
  if (operator && slot.kind === "input" && schema?.repeated) name += ` ${slot.input - operator.inputs.length + 2}`;
  return found.find((d) => d.argument === name);
}

/** Why, in a sentence for tooltips. */
export function reasonOf(d: Diagnostic): string {
  return format.plain(wordsOf(d) || titleOf(d));
}

/** How grave it looks: what is only not given yet is not broken. */
export function toneOf(d: Diagnostic): "error" | "warning" | "info" {
  return isBegun(d) ? "warning" : severity(d);
}
