/**
 * Which declarations a door of the package needs: from the door's own file on, each name is followed to the file that
 * declares it, past every index between, so that a room's other types stay at home. Specifiers become relative.
 */
import { dirname, relative } from 'node:path/posix';
import { parseSync, Visitor } from 'oxc-parser';

/** Declarations as the compiler made them. */
export interface DeclarationTree {
  /** The text of a file. */
  read(file: string): string;
  /** The file that `from` means by a specifier; undefined for what is not ours. */
  resolve(from: string, specifier: string): string | undefined;
}

/** A name that a statement takes from another file: under its own name, or another. */
interface Taken {
  readonly name: string;
  readonly as: string;
  readonly isType: boolean;
}

/** A statement that names another file. Without names (a whole file, a namespace, a default) its specifier is all that changes. */
interface Reference {
  readonly word: 'import' | 'export';
  readonly specifier: string;
  readonly start: number;
  readonly end: number;
  readonly names: readonly Taken[] | undefined;
  /** Where the specifier stands, quotes and all. */
  readonly quoted: { readonly start: number; readonly end: number };
}

/** What is read of a file of declarations. */
interface Declarations {
  readonly text: string;
  readonly references: readonly Reference[];
  /** `import("…").Name` within types: the name is undefined for all of a file. */
  readonly inline: readonly { specifier: string; name: string | undefined; start: number; end: number }[];
  /** Names that the file imports, by what it calls them. */
  readonly imported: ReadonlyMap<string, { readonly specifier: string; readonly name: string }>;
  /** Names that it exports: taken from where, or declared here (undefined). */
  readonly exported: ReadonlyMap<string, { readonly specifier: string; readonly name: string } | undefined>;
  /** Files all of whose names it exports. */
  readonly stars: readonly string[];
}

/** Where a name is declared, and what it is called there. */
interface Home {
  readonly file: string;
  readonly name: string;
}

type Parsed = ReturnType<typeof parseSync>['module'];

/** The statements of one kind, each with its names if every one of them has a name. */
function importsOf({ staticImports }: Parsed): Reference[] {
  return staticImports.map(({ start, end, moduleRequest, entries }) => ({
    word: 'import',
    specifier: moduleRequest.value,
    start,
    end,
    quoted: moduleRequest,
    names:
      entries.length > 0 && entries.every(({ importName }) => importName.kind === 'Name')
        ? entries.map((entry) => ({
            name: entry.importName.name ?? '',
            as: entry.localName.value,
            isType: entry.isType,
          }))
        : undefined,
  }));
}

function reexportsOf({ staticExports }: Parsed): Reference[] {
  return staticExports.flatMap(({ start, end, entries }) => {
    const moduleRequest = entries[0]?.moduleRequest;
    if (moduleRequest === null || moduleRequest === undefined) return [];
    const names = entries.map((entry) => ({
      name: entry.importName.name,
      as: entry.exportName.name ?? '',
      isType: entry.isType,
    }));
    const areNamed = names.every((taken): taken is Taken => taken.name !== null);
    const specifier = moduleRequest.value;
    return [{ word: 'export', specifier, start, end, quoted: moduleRequest, names: areNamed ? names : undefined }];
  });
}

function exportedBy({ staticExports }: Parsed, imported: Declarations['imported']): Declarations['exported'] {
  const exported = new Map<string, { specifier: string; name: string } | undefined>();
  for (const { exportName, importName, localName, moduleRequest } of staticExports.flatMap(({ entries }) => entries)) {
    if (exportName.name === null) continue;
    const taken =
      moduleRequest === null
        ? imported.get(localName.name ?? exportName.name)
        : importName.name === null
          ? undefined
          : { specifier: moduleRequest.value, name: importName.name };
    exported.set(exportName.name, taken);
  }
  return exported;
}

/** The first name of `import("…").Name.Inner`. */
function firstName(qualifier: { type: string; name?: string; left?: unknown } | null): string | undefined {
  if (qualifier === null) return undefined;
  if (qualifier.type === 'Identifier') return qualifier.name;
  return firstName((qualifier.left ?? null) as Parameters<typeof firstName>[0]);
}

function parseDeclarations(file: string, text: string): Declarations {
  const { module, program } = parseSync(file, text);
  const references = [...importsOf(module), ...reexportsOf(module)];
  const imports = references.filter(({ word }) => word === 'import');
  const imported = new Map(
    imports.flatMap(({ specifier, names = [] }) => names.map(({ name, as }) => [as, { specifier, name }] as const)),
  );
  const inline: Declarations['inline'][number][] = [];
  new Visitor({
    TSImportType: ({ source, qualifier }) => {
      inline.push({ specifier: source.value, name: firstName(qualifier), start: source.start, end: source.end });
    },
  }).visit(program);
  const stars = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, moduleRequest }) =>
      exportName.name === null && moduleRequest !== null ? [moduleRequest.value] : [],
    );
  return { text, references, inline, imported, exported: exportedBy(module, imported), stars };
}

/** From a path of the house to the path in the package, without the ending: `packages/api/src/x.d.ts` is `api/x`. */
function placeOf(file: string): string {
  return file.replace(/^(?:packages\/([^/]+)|apps\/[^/]+)\/src\//, (_all, room?: string) =>
    room === undefined ? '' : `${room}/`,
  );
}

/** How one file of the package names another. */
function specifierOf(from: string, to: string): string {
  const path = relative(dirname(placeOf(from)), placeOf(to)).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

class DeclarationLinker {
  readonly #tree: DeclarationTree;
  readonly #parsed = new Map<string, Declarations>();

  constructor(tree: DeclarationTree) {
    this.#tree = tree;
  }

  parsed(file: string): Declarations {
    let found = this.#parsed.get(file);
    if (found === undefined) {
      found = parseDeclarations(file, this.#tree.read(file));
      this.#parsed.set(file, found);
    }
    return found;
  }

  target(from: string, specifier: string): string {
    const file = this.#tree.resolve(from, specifier);
    if (file === undefined)
      throw new RangeError(`${from} names types of ${specifier}, which the package does not carry`);
    return file;
  }

  /** The file that declares a name that `file` exports, and its name there. */
  home(file: string, name: string): Home {
    const home = this.#homeOrUndefined(file, name, new Set());
    if (home === undefined) throw new RangeError(`${file} exports no ${name}`);
    return home;
  }

  #homeOrUndefined(file: string, name: string, seen: Set<string>): Home | undefined {
    if (seen.has(file)) return undefined;
    seen.add(file);
    const { exported, stars } = this.parsed(file);
    if (exported.has(name)) {
      const taken = exported.get(name);
      return taken === undefined ? { file, name } : this.home(this.target(file, taken.specifier), taken.name);
    }
    for (const star of stars) {
      const home = this.#homeOrUndefined(this.target(file, star), name, seen);
      if (home !== undefined) return home;
    }
    return undefined;
  }

  /** The file's text with its specifiers made those of the package, and the files that it needs. */
  link(file: string): { readonly text: string; readonly needs: readonly string[] } {
    const { text, references, inline } = this.parsed(file);
    const needs: string[] = [];
    const edits: { start: number; end: number; text: string }[] = [];
    const naming = (to: string): string => {
      needs.push(to);
      return specifierOf(file, to);
    };
    for (const reference of references) {
      const target = this.target(file, reference.specifier);
      const { names } = reference;
      if (names === undefined) edits.push({ ...pick(reference.quoted), text: `'${naming(target)}'` });
      else {
        const homes = names.map((taken) => ({ ...taken, home: this.home(target, taken.name) }));
        edits.push({ ...pick(reference), text: statements(reference.word, homes, naming) });
      }
    }
    for (const { specifier, name, start, end } of inline) {
      const target = this.target(file, specifier);
      // The name after it stays as it is: only a file that declares it under that name can be named instead.
      const home = name === undefined ? undefined : this.home(target, name);
      edits.push({ start, end, text: `'${naming(home?.name === name && home !== undefined ? home.file : target)}'` });
    }
    return { text: edited(text, edits), needs };
  }
}

/** One statement for each file that declares some of the names. */
function statements(
  word: Reference['word'],
  names: readonly (Taken & { readonly home: Home })[],
  naming: (to: string) => string,
): string {
  const made = [...Map.groupBy(names, ({ home }) => home.file)].map(([file, all]) => {
    const list = all.map(
      ({ as, isType, home }) => `${isType ? 'type ' : ''}${home.name === as ? as : `${home.name} as ${as}`}`,
    );
    return `${word} { ${list.join(', ')} } from '${naming(file)}';`;
  });
  return made.join('\n');
}

const pick = ({ start, end }: { readonly start: number; readonly end: number }) => ({ start, end });

function edited(text: string, edits: readonly { start: number; end: number; text: string }[]): string {
  let at = 0;
  let made = '';
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return made + text.slice(at);
}

/** The files that a door needs, by their path in the package (`scheduler/handle.d.ts`); throws where one is not ours. */
export function linkDeclarations(doors: readonly string[], tree: DeclarationTree): Map<string, string> {
  const linker = new DeclarationLinker(tree);
  const linked = new Map<string, string>();
  const waiting = [...doors];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const place = placeOf(file);
    if (linked.has(place)) continue;
    const { text, needs } = linker.link(file);
    linked.set(place, text);
    waiting.push(...needs);
  }
  return linked;
}
