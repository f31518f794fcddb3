import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { typed } from '../setup/usage.ts';
import { youngest } from './youngest.ts';

const ENTRY = 'apps/dashboard/src/main.tsx';
/** Stands in the page itself, before everything else: it sees what does not load. */
const RELOAD = 'apps/dashboard/src/reload.ts';

const LESSONS = { en: 'docs/lessons', ko: 'docs/lessons/ko' };

/** The lessons of a folder with their names, in the order of its table of contents. */
export function readLessons(folder: string): readonly (readonly [name: string, markdown: string])[] {
  const contents = readFileSync(join(folder, 'README.md'), 'utf8');
  return [...contents.matchAll(/\]\(([a-z-]+)\.md\)/g)].map(([, name = '']) => [
    name,
    readFileSync(join(folder, `${name}.md`), 'utf8'),
  ]);
}

/** What is read of the bundler's account of an output. */
interface Output {
  readonly entryPoint?: string;
  readonly cssBundle?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
}

/**
 * Which of the bundler's outputs the page starts with, and the parts that its script cannot run without: what is loaded
 * later has entry points of its own.
 */
export function entryOf(outputs: { readonly [path: string]: Output }): {
  readonly script: string;
  readonly style: string;
  readonly reload: string;
  readonly parts: readonly string[];
} {
  const outputOf = (entry: string) => Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  const [script = '', { cssBundle = '' } = {}] = outputOf(ENTRY);
  const [reload = ''] = outputOf(RELOAD);
  const needed = new Set([script]);
  for (const path of needed) {
    for (const { path: part, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') needed.add(part);
  }
  needed.delete(script);
  return { script, style: cssBundle, reload, parts: [...needed] };
}

/** The files that the page starts with, by the bundler's inputs: what is imported, not what is loaded later. */
export function startingFiles(inputs: {
  readonly [path: string]: { readonly imports: readonly { readonly path: string; readonly kind: string }[] };
}): ReadonlySet<string> {
  const found = new Set([ENTRY]);
  for (const file of found) {
    for (const { path, kind } of inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') found.add(path);
  }
  return found;
}

/** `write`: false bundles for a look at the result alone. */
export function bundlePage(root: string, out: string, { write }: { readonly write: boolean }) {
  return build({
    absWorkingDir: root,
    entryPoints: [ENTRY, RELOAD],
    outbase: join(root, 'apps/dashboard/src'),
    outdir: join(out, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    minify: true,
    legalComments: 'linked',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
    metafile: true,
    write,
  });
}

/** Bundles the dashboard's page into a folder: `index.html` and `assets/` with names that change with their content. */
export async function buildPage(root: string, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { metafile } = await bundlePage(root, out, { write: true });
  const { script, style, reload, parts } = entryOf(metafile.outputs);
  // A browser would learn of them from the script alone, and then ask for them.
  const preloads = parts.map((part) => `<link rel="modulepreload" href="/assets/${basename(part)}" />`);
  const page = readFileSync(join(root, 'apps/dashboard/src/index.html'), 'utf8')
    .replace('__SCRIPT__', basename(script))
    .replace('__STYLE__', basename(style))
    .replace('__PARTS__', preloads.join('\n    '))
    .replace('__RELOAD__', () => readFileSync(join(root, reload), 'utf8').trim());
  writeFileSync(join(out, 'index.html'), page);
  for (const [language, folder] of Object.entries(LESSONS)) {
    writeFileSync(join(out, `assets/lessons-${language}.json`), JSON.stringify(readLessons(join(root, folder))));
  }
}

/** Builds the page unless what is there is younger than everything it is made of. */
export async function freshenPage(root: string, out: string): Promise<void> {
  const built = join(out, 'index.html');
  const sources = ['apps/dashboard/src', 'docs/lessons', 'packages/trace/src', 'package-lock.json'].map((path) =>
    join(root, path),
  );
  if (existsSync(built) && Math.max(...sources.map(youngest)) < statSync(built).mtimeMs) return;
  await buildPage(root, out);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { words } = typed({
    text: 'node tools/release/page.ts [FOLDER]: builds the page of the dashboard where what is there is older than its sources',
    refuse: ([, more]) => (more === undefined ? undefined : 'one folder is taken'),
  });
  // A folder of one's own: for tests that run while somebody builds.
  await freshenPage(root, words[0] ?? join(root, 'dist/page'));
}
