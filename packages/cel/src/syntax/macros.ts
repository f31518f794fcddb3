/** Calls that stand for something else: `has`, `all`, `map` and their like are opened into folds while reading. */
import { ACCUMULATOR, callNode, grow, listNode, literalNode, nameNode } from './tree.ts';
import type { MapEntry, Node } from './tree.ts';

/** A use of a macro. */
export interface MacroUse {
  readonly at: number;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

/** What goes in its place; undefined: the call is an ordinary one. Throws MacroMistake. */
export type Macro = (use: MacroUse) => Node | undefined;

/** A macro used wrongly, and where. */
export class MacroMistake {
  readonly at: number;
  readonly message: string;

  constructor(at: number, message: string) {
    this.at = at;
    this.message = message;
  }
}

interface FoldParts {
  readonly start: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

const accumulated = (at: number): Node => nameNode(at, ACCUMULATOR);

function variable(node: Node | undefined, complaint: string): string {
  if (node?.kind === 'name' && node.name === ACCUMULATOR) {
    throw new MacroMistake(node.at, 'iteration variable overwrites accumulator variable');
  }
  if (node?.kind === 'name' && !node.name.startsWith('.')) return node.name;
  throw new MacroMistake(node?.at ?? 0, complaint);
}

/** Makes a fold over the target with one or two variables, which come first among the arguments. */
function fold(use: MacroUse, count: 1 | 2, parts: FoldParts & { complaint?: string }): Node | undefined {
  const { target, args, at } = use;
  if (target === undefined) return undefined;
  const { complaint = 'argument must be a simple name', ...rest } = parts;
  const first = variable(args[0], complaint);
  const second = count === 2 ? variable(args[1], complaint) : undefined;
  if (first === second) {
    throw new MacroMistake(args[1]?.at ?? at, `duplicate variable name: ${first}`);
  }
  return grow({ kind: 'fold', at, range: target, first, second, ...rest });
}

function quantifier(decisive: boolean, count: 1 | 2): Macro {
  return (use) => {
    const { at, args } = use;
    const so = accumulated(at);
    const test = decisive ? callNode(at, '!_', [so]) : so;
    return fold(use, count, {
      start: literalNode(at, !decisive),
      condition: callNode(at, '@not_strictly_false', [test]),
      step: callNode(at, decisive ? '_||_' : '_&&_', [so, args[count] as Node]),
      result: so,
    });
  };
}

function exactlyOne(count: 1 | 2): Macro {
  return (use) => {
    const { at, args } = use;
    const so = accumulated(at);
    const one = literalNode(at, 1n);
    return fold(use, count, {
      start: literalNode(at, 0n),
      condition: literalNode(at, true),
      step: callNode(at, '_?_:_', [args[count] as Node, callNode(at, '_+_', [so, one]), so]),
      result: callNode(at, '_==_', [so, one]),
    });
  };
}

/** Lists what `made` is for each item that `kept` holds for. */
function gather(use: MacroUse, count: 1 | 2, items: { kept?: Node | undefined; made: Node }): Node | undefined {
  const { at } = use;
  const so = accumulated(at);
  const grown = callNode(at, '_+_', [so, listNode(at, [items.made])]);
  return fold(use, count, {
    complaint: count === 1 ? 'argument is not an identifier' : 'argument must be a simple name',
    start: listNode(at, []),
    condition: literalNode(at, true),
    step: items.kept === undefined ? grown : callNode(at, '_?_:_', [items.kept, grown, so]),
    result: so,
  });
}

function transform(count: 1 | 2): Macro {
  return (use) => {
    const rest = use.args.slice(count);
    return gather(use, count, { kept: rest.length === 2 ? rest[0] : undefined, made: rest.at(-1) as Node });
  };
}

const filter: Macro = (use) => gather(use, 1, { kept: use.args[1], made: use.args[0] as Node });

/** `transformMap` keeps the keys, `transformMapEntry` says keys and values by a map of its own. */
function transformMap(hasOwnKeys: boolean): Macro {
  return (use) => {
    const { at, args } = use;
    const so = accumulated(at);
    const rest = args.slice(2);
    const made = rest.at(-1) as Node;
    const inserted = callNode(at, 'cel.@mapInsert', hasOwnKeys ? [so, made] : [so, args[0] as Node, made]);
    const entries: readonly MapEntry[] = [];
    return fold(use, 2, {
      start: grow({ kind: 'map', at, entries }),
      condition: literalNode(at, true),
      step: rest.length === 2 ? callNode(at, '_?_:_', [rest[0] as Node, inserted, so]) : inserted,
      result: so,
    });
  };
}

const has: Macro = ({ at, args: [tested] }) => {
  if (tested?.kind !== 'select' || tested.isTest) {
    throw new MacroMistake(tested?.at ?? at, 'invalid argument to has() macro');
  }
  return grow({ ...tested, at, isTest: true });
};

/** What a macro names for itself once, so that a target that is looked at twice is worked out, and read, once. */
const TARGET = '@target';

function once(target: Node, at: number, body: (target: Node) => Node): Node {
  if (target.kind === 'name') return body(target);
  return grow({ kind: 'bind', at, name: TARGET, value: target, body: body(nameNode(at, TARGET)) });
}

/** `target.optMap(v, f)`: f of the value, where there is one. */
function optional(isFlat: boolean): Macro {
  return ({ at, target: given, args }) => {
    if (given === undefined) return undefined;
    const name = variable(args[0], `${isFlat ? 'optFlatMap' : 'optMap'}() variable name must be a simple identifier`);
    return once(given, at, (target) => {
      const value = grow({ kind: 'call', at, name: 'value', target, args: [] });
      const body = grow({ kind: 'bind', at, name, value, body: args[1] as Node });
      const isThere = grow({ kind: 'call', at, name: 'hasValue', target, args: [] });
      const made = isFlat ? body : callNode(at, 'optional.of', [body]);
      return callNode(at, '_?_:_', [isThere, made, callNode(at, 'optional.none', [])]);
    });
  };
}

/** `list.sortBy(x, key)`: by what each key is. */
const sortBy: Macro = ({ at, target: given, args }) => {
  if (given === undefined) return undefined;
  return once(given, at, (target) => {
    const keys = gather({ at, target, args }, 1, { made: args[1] as Node });
    return grow({ kind: 'call', at, name: '@sortByAssociatedKeys', target, args: keys === undefined ? [] : [keys] });
  });
};

const bind: Macro = ({ at, target, args }) => {
  if (target?.kind !== 'name' || target.name !== 'cel') return undefined;
  const name = variable(args[0], 'cel.bind() variable names must be simple identifiers');
  return grow({ kind: 'bind', at, name, value: args[1] as Node, body: args[2] as Node });
};

/** By name and number of arguments; a dot before what is called on something. */
export type Macros = ReadonlyMap<string, Macro>;

/** The macros of every CEL. */
export const STANDARD_MACROS: Macros = new Map<string, Macro>([
  ['has/1', has],
  ['.all/2', quantifier(false, 1)],
  ['.exists/2', quantifier(true, 1)],
  ['.exists_one/2', exactlyOne(1)],
  ['.existsOne/2', exactlyOne(1)],
  ['.map/2', transform(1)],
  ['.map/3', transform(1)],
  ['.filter/2', filter],
]);

/** Those that Kubernetes has beside: optional values, two variables, sorting. */
export const KUBERNETES_MACROS: Macros = new Map<string, Macro>([
  ...STANDARD_MACROS,
  ['.optMap/2', optional(false)],
  ['.optFlatMap/2', optional(true)],
  ['.all/3', quantifier(false, 2)],
  ['.exists/3', quantifier(true, 2)],
  ['.exists_one/3', exactlyOne(2)],
  ['.existsOne/3', exactlyOne(2)],
  ['.transformList/3', transform(2)],
  ['.transformList/4', transform(2)],
  ['.transformMap/3', transformMap(false)],
  ['.transformMap/4', transformMap(false)],
  ['.transformMapEntry/3', transformMap(true)],
  ['.transformMapEntry/4', transformMap(true)],
  ['.sortBy/2', sortBy],
]);

/** `cel.bind`, which device selectors have and the API server's expressions have not. */
export const BIND_MACRO: Macros = new Map([['.bind/3', bind]]);
