/**
 * Makes the published package in dist/package: one program with lazily loaded chunks, its workers, the launcher, and the
 * types of what may be imported from it.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { typed } from '../setup/usage.ts';
import { asFunction, DOORS, ENTRIES, inAscii, WHOLE, withOneModuleName } from './entries.ts';
import { buildPage } from './page.ts';
import { writeDeclarations } from './write-declarations.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { flags } = typed({
  text: `npm run build [-- FLAG…]: makes the published package in dist/package
  --pack            its tarball too
  --program FOLDER  the program alone, there`,
  flags: { pack: 'boolean', program: 'string' },
});
const { pack, program } = flags;
const out = typeof program === 'string' ? resolve(program) : join(root, 'dist/package');

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  // No `keepNames`: it wraps every closure made at run time, which costs a fifth of a GET. Names stay unminified anyway.
  legalComments: 'linked',
  logLevel: 'warning',
} as const;

async function bundle(): Promise<void> {
  await build({
    ...COMMON,
    entryPoints: ENTRIES,
    outdir: join(out, 'lib'),
    outExtension: { '.js': '.mjs' },
    splitting: true,
    format: 'esm',
    // CommonJS dependencies inside ES modules ask for Node's own modules by require().
    banner: {
      js: "import { createRequire as binnacleRequire } from 'node:module'; const require = binnacleRequire(import.meta.url);",
    },
  });
}

/** The program in one file, for `up` (apps/binnacle/src/host/kept-code.ts). */
async function bundleWhole(): Promise<void> {
  await build({
    ...COMMON,
    entryPoints: { whole: WHOLE },
    outdir: join(out, 'lib'),
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // A script that is run by hand has no loader of modules: it asks for Node's own by require().
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'binnacleUrl' },
    banner: { js: "const binnacleUrl = require('node:url').pathToFileURL(__filename).href;" },
  });
  const file = join(out, 'lib/whole.cjs');
  writeFileSync(file, asFunction(withOneModuleName(inAscii(readFileSync(file, 'utf8')))));
}

function writeManifest(): void {
  const source = JSON.parse(readFileSync(join(root, 'apps/binnacle/package.json'), 'utf8')) as { version: string };
  const manifest = {
    name: 'binnacle',
    version: source.version,
    description: 'A complete Kubernetes in TypeScript: one process, half a second',
    license: 'Apache-2.0',
    type: 'module',
    engines: { node: '>=24' },
    bin: {
      binnacle: 'bin/binnacle.mjs',
      'kubectl-binnacle-trace': 'bin/kubectl-trace.mjs',
      'kubectl-binnacle_trace': 'bin/kubectl-trace.mjs',
    },
    exports: Object.fromEntries(
      Object.keys(DOORS).map((name) => [`./${name}`, { types: `./types/${name}.d.ts`, default: `./lib/${name}.mjs` }]),
    ),
    files: ['bin', 'lib', 'types', 'page', 'examples', 'README.md'],
  };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** For `/version` (apps/binnacle/src/host/build-commit.ts). */
function writeCommit(): void {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  writeFileSync(join(out, 'lib/commit'), commit);
}

function writeLauncher(): void {
  mkdirSync(join(out, 'bin'), { recursive: true });
  const launcher = readFileSync(join(root, 'apps/binnacle/launch.mjs'), 'utf8').replace(
    './src/main.ts',
    '../lib/main.mjs',
  );
  writeFileSync(join(out, 'bin/binnacle.mjs'), launcher, { mode: 0o755 });
  const plugin = readFileSync(join(root, 'apps/binnacle/kubectl-trace.mjs'), 'utf8').replace(
    './launch.mjs',
    './binnacle.mjs',
  );
  writeFileSync(join(out, 'bin/kubectl-trace.mjs'), plugin, { mode: 0o755 });
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await bundle();
await bundleWhole();
if (program === undefined) {
  await buildPage(root, join(out, 'page'));
  cpSync(join(out, 'page'), join(root, 'dist/page'), { recursive: true });
  writeDeclarations(root, Object.values(DOORS), join(out, 'types'));
}
writeManifest();
writeCommit();
writeLauncher();
cpSync(join(root, 'examples'), join(out, 'examples'), { recursive: true });
copyFileSync(join(root, 'README.md'), join(out, 'README.md'));
if (pack === true) {
  execFileSync('npm', ['pack', '--pack-destination', '..', '--silent'], { cwd: out, stdio: 'inherit' });
}
