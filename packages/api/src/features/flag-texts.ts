import type { GateWishes } from './choose-features.ts';

/** Go's words for true and false. */
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/** As Go's `strconv.ParseBool`; undefined: it is neither. */
export function parseTruth(text: string): boolean | undefined {
  return TRUTHS.get(text);
}

/** What Go says of a text that is neither true nor false. */
export function truthProblem(text: string): string {
  return `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
}

type Read<T> = { readonly read: T } | { readonly problem: string };

/**
 * `--feature-gates` of the API server and the controller manager: `Gate=true,kube:Gate=true`, once or several times; of a
 * gate that is told twice the last word counts.
 */
export function readComponentGates(texts: readonly string[]): Read<GateWishes> {
  const pairs = texts.flatMap((text) => text.split(',')).filter((pair) => pair !== '');
  const split = pairs.map((pair) => {
    const colon = pair.indexOf(':');
    return { component: colon === -1 ? '' : pair.slice(0, colon).trim(), wish: pair.slice(colon + 1).trim() };
  });
  const components = new Set(split.map(({ component }) => component));
  const other = [...components].find((component) => component !== '' && component !== 'kube');
  if (other !== undefined) return { problem: `component not registered: ${other}` };
  if (components.size > 1) {
    return {
      problem: 'set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use',
    };
  }
  return readWishes(
    split.map(({ wish }) => wish).filter((wish) => wish !== ''),
    {
      missing: (gate) => `missing bool value for ${gate}`,
      invalid: (gate, text) => `invalid value of ${gate}=${text}, err: ${truthProblem(text)}`,
    },
  );
}

/** `--feature-gates` of the kubelet: `Gate=true,Gate=false`. */
export function readKubeletGates(texts: readonly string[]): Read<GateWishes> {
  const wishes = texts.flatMap((text) => text.split(',')).filter((wish) => wish !== '');
  return readWishes(wishes, {
    missing: () => 'malformed pair, expect string=bool',
    invalid: (gate, text) => `invalid value of ${gate}: ${text}, err: ${truthProblem(text)}`,
  });
}

interface Words {
  missing(gate: string): string;
  invalid(gate: string, text: string): string;
}

function readWishes(pairs: readonly string[], words: Words): Read<GateWishes> {
  const read = new Map<string, boolean>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    const gate = (at === -1 ? pair : pair.slice(0, at)).trim();
    if (at === -1) return { problem: words.missing(gate) };
    const text = pair.slice(at + 1).trim();
    const on = parseTruth(text);
    if (on === undefined) return { problem: words.invalid(gate, text) };
    read.set(gate, on);
  }
  return { read: Object.fromEntries(read) };
}

/** `--runtime-config`: `group/version=true,api/beta=true,group/version`; of a key that is told twice the last word counts. */
export function readRuntimeConfig(texts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = texts.flatMap((text) => text.split(',')).filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return at === -1 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
