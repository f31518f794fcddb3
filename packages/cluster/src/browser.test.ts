import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { build } from 'esbuild';

test('the simulated cluster bundles for a browser, without anything of Node', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./simulated-cluster.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  assert.deepEqual(
    imports.filter((path) => path.startsWith('node:')),
    [],
  );
  const [bundle] = outputFiles;
  assert.ok(bundle !== undefined && !/\bprocess\.(?:env|binding|getBuiltinModule)\b/.test(bundle.text));
});
