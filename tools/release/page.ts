import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** Bundles the dashboard's page into a folder: `index.html` and `assets/` with names that change with their content. */
export async function buildPage(root: string, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['apps/dashboard/src/main.tsx'],
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
  });
  const [entry] = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const [script = '', { cssBundle = '' } = {}] = entry ?? [];
  const page = readFileSync(join(root, 'apps/dashboard/src/index.html'), 'utf8')
    .replace('__SCRIPT__', basename(script))
    .replace('__STYLE__', basename(cssBundle));
  writeFileSync(join(out, 'index.html'), page);
}
