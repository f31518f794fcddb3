/**
 * The one way from YAML to the value that the same document has in JSON, as sigs.k8s.io/yaml goes it: request
 * bodies, static manifests, kubeconfig and configuration files all come in here. The library parses; composing is
 * ours, for three things that it does not do: a budget for what aliases expand to, repeated keys told with their
 * line, and integers of 64 bits.
 *
 * Loaded apart from the room's main door, as most processes never read YAML.
 */
import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import type { Event } from 'js-yaml';
import { DecodeError } from '../errors.ts';
import { DEPTH_MAX } from '../schema/json-text.ts';
import { putMember } from '../schema/member.ts';
import type { JsonObject } from '../schema/shape.ts';
import { tooManyValues, VALUES_MAX } from '../schema/value-limit.ts';
import { resolvePlain, resolveTagged } from './scalar.ts';

/** A document read. */
export interface YamlDocument {
  /** As JSON has it; what aliases name is shared and must not be changed. Integers beyond 2^53 are raw JSON. */
  readonly value: unknown;
  /** `line 9: key "foo" already set in map`, in the order of the document; the last value stands. At most 100. */
  readonly problems: readonly string[];
}

/**
 * Aliases may add this much, and four times the text: what upstream bounds by the share of aliased nodes, bounded
 * here by size, so that memory and time stay in proportion to the body.
 */
const ALIASED_FREE = 100_000;
const ALIASED_PER_CHARACTER = 4;
/** Upstream stops counting here. */
const PROBLEMS_MAX = 100;

/**
 * Reads the first document of a text; null when there is none. Throws DecodeError with `yaml: line 3: …` for a
 * malformed text, for one that is nested deeper than 1000 levels, and for one whose aliases expand to too much; 413 for
 * one with more values than a document may have, aliases not written out.
 */
export function readYaml(text: string): YamlDocument {
  try {
    return new Composer(text).compose(parseEvents(text, { maxDepth: DEPTH_MAX }));
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? '' : `line ${error.mark.line + 1}: `;
    throw new DecodeError(`yaml: ${line}${error.reason}`, error);
  }
}

/** A node that is done. */
interface Composed {
  readonly value: unknown;
  /** Levels of collections. */
  readonly height: number;
  /** Nodes and characters once all aliases in it are written out. */
  readonly weight: number;
}

/** A collection that is still open. */
interface Frame {
  readonly container: unknown[] | JsonObject;
  readonly anchor: string | undefined;
  /** Where it begins in the text. */
  readonly at: number;
  readonly weightBefore: number;
  height: number;
  /** The key that waits for its value. */
  key: { readonly value: unknown; readonly isMerge: boolean } | undefined;
}

class Composer {
  readonly #text: string;
  readonly #anchors = new Map<string, Composed | undefined>();
  readonly #frames: Frame[] = [];
  readonly #problems: string[] = [];
  /** Offsets of the line ends, made when the first line is asked for. */
  #lines: readonly number[] | undefined;
  #weight = 0;
  #values = 0;
  #aliased = 0;
  #root: unknown = null;
  /** Where the node begins that is being added: a repeated key is told with the line of its value. */
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  compose(events: readonly Event[]): YamlDocument {
    let documents = 0;
    for (const event of events) {
      if (event.type === EVENT_ID.DOCUMENT && ++documents > 1) break;
      this.#event(event);
    }
    return { value: this.#root, problems: this.#problems };
  }

  #event(event: Event): void {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        return;
      case EVENT_ID.SEQUENCE:
        return this.#open([], event);
      case EVENT_ID.MAPPING:
        return this.#open({}, event);
      case EVENT_ID.SCALAR:
        return this.#scalar(event);
      case EVENT_ID.ALIAS:
        return this.#alias(event);
      case EVENT_ID.POP:
        return this.#close();
    }
  }

  #open(container: unknown[] | JsonObject, event: Event & { type: 2 | 3 }): void {
    const anchor = this.#anchorOf(event);
    // Known and not done yet: an alias to it would be a cycle.
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    this.#frames.push({ container, anchor, at: event.start, weightBefore: this.#weight++, height: 1, key: undefined });
  }

  #close(): void {
    const frame = this.#frames.pop();
    // The end of the document itself.
    if (frame === undefined) return;
    const done = { value: frame.container, height: frame.height, weight: this.#weight - frame.weightBefore };
    if (frame.anchor !== undefined) this.#anchors.set(frame.anchor, done);
    this.#position = frame.at;
    this.#add(done, false);
  }

  #scalar(event: Event & { type: 4 }): void {
    this.#position = event.valueStart;
    const text = getScalarValue(this.#text, event);
    if (!text.isWellFormed()) throw new DecodeError('yaml: found invalid Unicode character escape code');
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const tag = event.tagStart === -1 ? '' : this.#text.slice(event.tagStart, event.tagEnd).replace(/^!<(.*)>$/s, '$1');
    const value = tag === '' ? (isPlain ? resolvePlain(text) : text) : resolveTagged(tag, text);
    const done = { value, height: 0, weight: 1 + text.length };
    this.#weight += done.weight;
    const anchor = this.#anchorOf(event);
    if (anchor !== undefined) this.#anchors.set(anchor, done);
    this.#add(done, isPlain && text === '<<');
  }

  #alias(event: Event & { type: 5 }): void {
    this.#position = event.anchorStart;
    const name = this.#text.slice(event.anchorStart, event.anchorEnd);
    const named = this.#anchors.get(name);
    if (named === undefined) {
      const why = this.#anchors.has(name)
        ? `anchor '${name}' value contains itself`
        : `unknown anchor '${name}' referenced`;
      throw new DecodeError(`yaml: ${why}`);
    }
    this.#weight += named.weight;
    this.#aliased += named.weight;
    if (this.#aliased > ALIASED_FREE + ALIASED_PER_CHARACTER * this.#text.length) {
      throw new DecodeError('yaml: document contains excessive aliasing');
    }
    this.#add(named, false);
  }

  #anchorOf(event: { readonly anchorStart: number; readonly anchorEnd: number }): string | undefined {
    return event.anchorStart === -1 ? undefined : this.#text.slice(event.anchorStart, event.anchorEnd);
  }

  /** Puts a node where it belongs: into the document, a list, or a map as key or value. */
  #add(done: Composed, isMerge: boolean): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) {
      this.#root = done.value;
      return;
    }
    frame.height = Math.max(frame.height, done.height + 1);
    if (frame.height + this.#frames.length > DEPTH_MAX + 1) throw new DecodeError('yaml: exceeded max depth');
    const { container, key } = frame;
    if (!Array.isArray(container) && key === undefined) {
      frame.key = { value: done.value, isMerge };
      return;
    }
    if (++this.#values > VALUES_MAX) throw tooManyValues();
    if (Array.isArray(container)) {
      container.push(done.value);
      return;
    }
    frame.key = undefined;
    if (key?.isMerge === true) this.#merge(container, done.value);
    else this.#set(container, key?.value, done.value);
  }

  #set(target: JsonObject, key: unknown, value: unknown): void {
    const name = keyText(key);
    if (Object.hasOwn(target, name)) this.#repeated(key);
    putMember(target, name, value);
  }

  /** `<<`: the members of one map or of several, of which the first has the last word. */
  #merge(target: JsonObject, value: unknown): void {
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    for (const source of sources) {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        throw new DecodeError('yaml: map merge requires map or sequence of maps as the value');
      }
      for (const [name, member] of Object.entries(source)) this.#set(target, name, member);
    }
  }

  #repeated(key: unknown): void {
    if (this.#problems.length === PROBLEMS_MAX) return;
    const shown = typeof key === 'string' ? JSON.stringify(key) : keyText(key);
    this.#problems.push(`line ${this.#line()}: key ${shown} already set in map`);
  }

  #line(): number {
    this.#lines ??= lineEnds(this.#text);
    let [low, high] = [0, this.#lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lines[middle] ?? 0) < this.#position) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }
}

function lineEnds(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) ends.push(at);
  return ends;
}

/** Keys of JSON are text: numbers and booleans are written out, anything else is refused. */
function keyText(key: unknown): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'boolean') return String(key);
  const sort = key === null ? 'nil' : Array.isArray(key) ? '[]interface {}' : 'map[interface {}]interface {}';
  throw new DecodeError(`unsupported map key of type: ${sort}`);
}
