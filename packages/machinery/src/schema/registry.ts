import { assert } from '@binnacle/base';
import { DecodeError, QuantityError } from '../errors.ts';
import { audit } from './audit.ts';
import { Compiler } from './compile.ts';
import type { Walk } from './compile.ts';
import { countMembers, nodeOf, parseExact, parseJson, parseWritten, readJson, writesFraction } from './json-text.ts';
import type { JsonNode } from './json-text.ts';
import { openProtobuf, ProtobufDecoder } from './protobuf.ts';
import { ProtobufEncoder } from './protobuf-encoder.ts';
import type { SchemaTable, StructSchema } from './table.ts';
import type { Decoded, FieldValidation } from './walker.ts';

/** The schema table put to work: decoding of every struct in it. Owns the compiled walkers. */
export interface SchemaRegistry {
  readonly table: SchemaTable;
  /** The struct of a name such as `core.v1.Pod`; undefined when the table has none. */
  struct(name: string): StructSchema | undefined;
  /**
   * Rebuilds a parsed value in normal form: known fields only, in the table's order, with Go's zero values where
   * Go's encoder writes them; times, quantities and base64 canonical. The input is never kept nor changed.
   * `mode` Ignore reports no problems. Throws DecodeError with Go's message for a value of the wrong type.
   */
  decode<T>(name: string, input: unknown, mode?: FieldValidation): Decoded<T>;
  /** The same from JSON text (or its UTF-8 bytes); reports repeated fields too, and Go's message for malformed JSON. */
  decodeJson<T>(text: string | Uint8Array, name: string, mode?: FieldValidation): Decoded<T>;
  /**
   * The same from a body of `application/vnd.kubernetes.protobuf`, envelope and all; unknown fields are skipped.
   * Undefined when the table has no field numbers for the struct.
   */
  decodeProtobuf<T>(body: Uint8Array, name: string): Decoded<T> | undefined;
  /** Whether the table knows the field numbers of a struct, so that it has a message. */
  hasMessage(name: string): boolean;
  /** The message of an object in normal form, without envelope; the struct must have one. */
  encodeProtobuf(name: string, value: object): Uint8Array;
}

const NO_PROBLEMS: readonly string[] = Object.freeze([]);

/** The walkers of each registry, for registries on top of it. */
const compilers = new WeakMap<SchemaRegistry, () => Compiler>();

/**
 * A registry over a table, which is made on first use when a function is given; so are the walkers. With a registry
 * below, the table's structs may have fields of the structs there, whose walkers are shared; its own names go first.
 */
export function createSchemaRegistry(
  source: SchemaTable | (() => SchemaTable),
  below?: SchemaRegistry,
): SchemaRegistry {
  const use = compiledOnce(source, below);
  const utf8 = new TextDecoder();

  /** One pass of the fast walker; undefined where it gives up. */
  function tryWalk<T>(name: string, input: unknown, state: Walk): T | undefined {
    try {
      return use().compiler.struct(name)(input, state) as T;
    } catch (error) {
      if (error instanceof DecodeError || error instanceof QuantityError) return undefined;
      throw error;
    }
  }

  function walk<T>(name: string, input: unknown, from: Source): Decoded<T> {
    const state = newWalk(from.owned);
    const value = tryWalk<T>(name, input, state);
    if (value === undefined || (state.inexact && from.owned)) return walkExactly(name, from);
    const doubtful = from.mode !== 'Ignore' && (state.unknown || from.members() > state.members);
    return { value, problems: doubtful ? audit(use().table, name, from.node()) : NO_PROBLEMS };
  }

  /** The slow way: for an input that is wrong, or holds numbers that a double cannot. */
  function walkExactly<T>(name: string, from: Source): Decoded<T> {
    const problems = audit(use().table, name, from.node());
    const value = tryWalk<T>(name, from.exact(), newWalk(from.owned));
    assert(value !== undefined, 'the audit passes what the walker refused', { name });
    return { value, problems: from.mode === 'Ignore' ? NO_PROBLEMS : problems };
  }

  const registry: SchemaRegistry = {
    get table(): SchemaTable {
      return use().table;
    },
    struct: (name) => (Object.hasOwn(use().own, name) ? use().own[name] : below?.struct(name)),
    // A null is an object that says nothing, as in Go.
    decode: (name, input, mode = 'Ignore') =>
      walk(name, input ?? {}, { mode, owned: false, node: () => nodeOf(input), exact: () => input, members: () => 0 }),
    decodeJson: (text, name, mode = 'Ignore') => {
      const json = typeof text === 'string' ? text : utf8.decode(text);
      const isCustom = registry.struct(name)?.structural !== undefined;
      const from = sourceOf(json, isCustom, mode);
      return !isCustom && writesFraction(json) ? walkExactly(name, from) : walk(name, parseJson(json) ?? {}, from);
    },
    decodeProtobuf: (body, name) => {
      const { protobuf, own } = use();
      if (below !== undefined && !Object.hasOwn(own, name)) return below.decodeProtobuf(body, name);
      if (!protobuf.knows(name)) return undefined;
      const { apiVersion, kind, message } = openProtobuf(body);
      const input = { ...protobuf.read(name, message), apiVersion, kind };
      const exact = (): unknown => input;
      return walk(name, input, { mode: 'Ignore', owned: false, node: () => nodeOf(input), exact, members: () => 0 });
    },
    hasMessage(name) {
      const { protobuf, own } = use();
      return below === undefined || Object.hasOwn(own, name) ? protobuf.knows(name) : below.hasMessage(name);
    },
    encodeProtobuf: (name, value) => use().encoder.write(name, value),
  };
  compilers.set(registry, () => use().compiler);
  return registry;
}

interface Compiled {
  /** Of this registry alone. */
  readonly own: SchemaTable;
  /** With what is below it. */
  readonly table: SchemaTable;
  readonly compiler: Compiler;
  readonly protobuf: ProtobufDecoder;
  readonly encoder: ProtobufEncoder;
}

/** A table and what works by it, made when it is first asked for. */
function compiledOnce(source: SchemaTable | (() => SchemaTable), below: SchemaRegistry | undefined): () => Compiled {
  let made: Compiled | undefined;
  return () => {
    if (made !== undefined) return made;
    const own = typeof source === 'function' ? source() : source;
    const table = below === undefined ? own : laidOver(below.table, own);
    const shared = below === undefined ? undefined : compilers.get(below)?.();
    const [protobuf, encoder] = [new ProtobufDecoder(table), new ProtobufEncoder(table)];
    made = { own, table, compiler: new Compiler(own, shared), protobuf, encoder };
    return made;
  };
}

/** Finds what is in either without a copy of what is below, of which every custom kind would have one. */
function laidOver(below: SchemaTable, own: SchemaTable): SchemaTable {
  return Object.assign(Object.create(below) as SchemaTable, own);
}

function newWalk(owned: boolean): Walk {
  return { members: 0, depth: 0, unknown: false, owned, inexact: false };
}

/** Of a text: a custom kind's numbers are doubles where they are no integers, those of others are as they are written. */
function sourceOf(json: string, isCustom: boolean, mode: FieldValidation): Source {
  return {
    mode,
    owned: true,
    node: () => readJson(json),
    exact: () => (isCustom ? parseExact(json) : (parseWritten(json) ?? {})),
    members: () => countMembers(json),
  };
}

/** Where an input came from: how to read it again, and how many members its text has. */
interface Source {
  readonly mode: FieldValidation;
  /** Nobody else has the input. */
  readonly owned: boolean;
  node(): JsonNode;
  /** The input with all its digits. */
  exact(): unknown;
  members(): number;
}
