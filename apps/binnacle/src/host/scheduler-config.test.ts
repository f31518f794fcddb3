import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { Scope } from '@binnacle/base';
import { readSchedulerConfig } from './scheduler-config.ts';
import type { SchedulerFile } from './scheduler-config.ts';

const HEAD = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';

async function read(text: string, files: Record<string, string> = {}): Promise<SchedulerFile> {
  const folder = makeTestFolder().path;
  const scope = new Scope('test');
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    writeFileSync(join(folder, 'config.yaml'), text);
    return await readSchedulerConfig(join(folder, 'config.yaml'), scope);
  } finally {
    await scope.close();
    rmSync(folder, { recursive: true });
  }
}

test('a file as upstream documents it', async () => {
  const file = await read(
    `${HEAD}leaderElection:
  leaderElect: false
profiles:
  - schedulerName: default-scheduler
  - schedulerName: no-scoring
    plugins:
      score:
        disabled:
          - name: '*'
extenders:
  - urlPrefix: https://127.0.0.1:1/
    filterVerb: filter
    tlsConfig:
      caFile: ca.pem
`,
    { 'ca.pem': 'PEM' },
  );
  assert.deepEqual(
    file.profiles.map((p) => [p.schedulerName, p.points?.score?.length === 0]),
    [
      ['default-scheduler', false],
      ['no-scoring', true],
    ],
  );
  assert.equal(file.leaderElection, undefined);
  assert.deepEqual(
    file.extenders.map((e) => e.name),
    ['https://127.0.0.1:1/'],
  );
});

for (const [name, text, message] of [
  ['no file of the kind', 'kind: Pod\n', /apiVersion: required value/],
  ['an unknown field', `${HEAD}algorithmSource: {}\n`, /unknown field "algorithmSource"/],
  ['no YAML', '{', /cannot read the scheduler configuration/],
  [
    'a file that it names and is not there',
    `${HEAD}extenders: [{ urlPrefix: 'http://a', tlsConfig: { keyFile: gone.pem } }]\n`,
    /cannot read .*gone\.pem/,
  ],
] as const) {
  test(`refused: ${name}`, async () => {
    await assert.rejects(read(text), (error: Error & { cause?: Error }) =>
      message.test(`${error.message} ${error.cause?.message ?? ''}`),
    );
  });
}
