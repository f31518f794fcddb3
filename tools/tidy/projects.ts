/** tsconfig.neutral.json checks neutral code without Node's types: what it leaves out is what layers.json calls adapters. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from './imports.ts';
import type { House, Layers } from './tree.ts';

const TESTS = [
  '**/node_modules/**',
  '**/*.test.ts',
  '**/*.fixture.ts',
  '**/test-*.ts',
  '**/testing.ts',
  '**/testing/**',
];

/** The project for neutral code, made from the law. */
export function neutralProject(layers: Layers): object {
  const adapters = Object.entries(layers.rooms)
    .filter(([room]) => room.startsWith('packages/'))
    .flatMap(([room, law]) => law.node.flatMap((place) => [`${room}/${place}`, `${room}/${place}.ts`]));
  return {
    extends: './tsconfig.json',
    compilerOptions: { types: [] },
    include: ['packages/*/src/**/*.ts'],
    exclude: [...TESTS, ...adapters],
  };
}

/** Compares the file with what the law makes of it. */
export function checkProjects(house: House, report: Report): void {
  const path = join(house.root, 'tsconfig.neutral.json');
  const now = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {};
  if (JSON.stringify(now) !== JSON.stringify(neutralProject(house.layers))) {
    report('tsconfig.neutral.json', 1, 'differs from the adapters of layers.json: run npm run tidy -- --projects');
  }
}
