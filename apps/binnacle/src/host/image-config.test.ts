import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { UsageError } from '../errors.ts';
import { readImageConfig } from './image-config.ts';

const rows: readonly (readonly [string, object | RegExp])[] = [
  ['{}', {}],
  ['{"Entrypoint": ["/app"], "Cmd": []}', { Entrypoint: ['/app'], Cmd: [] }],
  ['Env: [A=1, B=]', { Env: ['A=1', 'B='] }],
  ['ExposedPorts: {80/tcp: {}}', { ExposedPorts: { '80/tcp': {} } }],
  ['ExposedPorts: ["53/udp"]', { ExposedPorts: { '53/udp': {} } }],
  ['WorkingDir: /srv\nUser: "1000:1000"', { WorkingDir: '/srv', User: '1000:1000' }],
  ['Labels: {__proto__: a, b: c}', JSON.parse('{"Labels": {"__proto__": "a", "b": "c"}}') as object],
  ['Volumes: [/data]', { Volumes: { '/data': {} } }],
  ['Entrypoint: /app', /Entrypoint: "\/app" is no list/],
  ['Env: [A]', /Env: "A" is no NAME=value/],
  ['Env: [=1]', /Env: "=1" is no NAME=value/],
  ['WorkingDir: srv', /WorkingDir: "srv" does not start with a slash/],
  ['User: 1000', /User: 1000 is no text/],
  ['ExposedPorts: [http]', /ExposedPorts: "http" is no port/],
  ['ExposedPorts: ["70000"]', /"70000" is no port/],
  ['Volumes: [data]', /Volumes: "data" does not start with a slash/],
  ['entrypoint: [/app]', /entrypoint is no field of an image; those are Entrypoint, Cmd/],
  ['constructor: 1', /constructor is no field of an image/],
  ['[]', /is no table/],
];

for (const [content, wanted] of rows) {
  test(`an image's configuration: ${content}`, async () => {
    const folder = makeTestFolder().path;
    try {
      const path = join(folder, 'config.yaml');
      await writeFile(path, content);
      if (!(wanted instanceof RegExp)) assert.deepEqual(await readImageConfig(path), wanted);
      else
        await assert.rejects(readImageConfig(path), (error) => {
          assert.ok(error instanceof UsageError);
          assert.match(error.message, wanted);
          return true;
        });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}
