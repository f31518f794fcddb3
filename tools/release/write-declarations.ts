import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { posix } from 'node:path';
import { linkDeclarations } from './declarations.ts';

/** The doors' files, and what each specifier of the house's rooms means. */
interface Sources {
  readonly doors: readonly string[];
  readonly rooms: ReadonlyMap<string, string>;
}

/** What each specifier of the house's rooms means: a file of the house by `@binnacle/room` and `@binnacle/room/door`. */
function roomDoors(root: string): Map<string, string> {
  const doors = new Map<string, string>();
  for (const manifest of globSync('packages/*/package.json', { cwd: root })) {
    const { name, exports } = JSON.parse(readFileSync(join(root, manifest), 'utf8')) as {
      name: string;
      exports: Readonly<Record<string, string>>;
    };
    for (const [door, file] of Object.entries(exports)) {
      doors.set(posix.join(name, door), posix.join(posix.dirname(manifest), file));
    }
  }
  return doors;
}

/** The compiler's declarations of all that the doors reach, in the folder `out`, in the house's own tree. */
function compile(root: string, out: string, { doors, rooms }: Sources): void {
  const config = join(out, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: root,
    outDir: out,
    typeRoots: [join(root, 'node_modules/@types')],
    // Else rooms are taken for foreign packages, of which nothing is emitted.
    paths: Object.fromEntries([...rooms].map(([name, file]) => [name, [join(root, file)]])),
  };
  const files = doors.map((file) => join(root, file));
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }));
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { cwd: root, stdio: 'inherit' });
}

/** Writes the types of the package's doors (source files of the house) into the folder `out`. */
export function writeDeclarations(root: string, doors: readonly string[], out: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'binnacle-declarations-'));
  const declared = (file: string): string => file.replace(/\.ts$/, '.d.ts');
  try {
    const rooms = roomDoors(root);
    compile(root, scratch, { doors, rooms });
    const linked = linkDeclarations(doors.map(declared), {
      read: (file) => readFileSync(join(scratch, file), 'utf8'),
      resolve: (from, specifier) => {
        const file = specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : rooms.get(specifier);
        return file === undefined ? undefined : declared(file);
      },
    });
    for (const [path, text] of linked) {
      mkdirSync(join(out, dirname(path)), { recursive: true });
      writeFileSync(join(out, path), text);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
