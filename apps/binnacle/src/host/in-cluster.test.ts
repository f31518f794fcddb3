import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { inClusterAccess } from './in-cluster.ts';

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

const ROWS: readonly {
  name: string;
  env: { readonly [name: string]: string };
  files?: readonly string[];
  server?: string;
  proxyUrl?: string;
  refused?: RegExp;
}[] = [
  { name: 'in a pod', env: POD, server: 'https://10.96.0.1:443' },
  { name: 'of IPv6', env: { ...POD, KUBERNETES_SERVICE_HOST: 'fd00::1' }, server: 'https://[fd00::1]:443' },
  {
    ...{ name: 'through a proxy', server: 'https://10.96.0.1:443', proxyUrl: 'http://p:3128' },
    env: { ...POD, HTTPS_PROXY: 'http://p:3128' },
  },
  {
    ...{ name: 'which it is excepted from', server: 'https://10.96.0.1:443' },
    env: { ...POD, HTTPS_PROXY: 'http://p:3128', NO_PROXY: '10.96.0.0/12' },
  },
  { name: 'in no pod', env: {}, refused: /^--kubeconfig is needed: this process is in no pod/ },
  { name: 'a host without a port', env: { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, refused: /in no pod of a cluster/ },
  { name: 'an account that is not mounted', env: POD, files: [], refused: /has no token and authority in \// },
  { name: 'a token without an authority', env: POD, files: ['token'], refused: /has no token and authority in \// },
];

for (const { name, env, files = ['token', 'ca.crt'], server, proxyUrl, refused } of ROWS) {
  test(`the way to the API server ${name}`, async () => {
    const folder = makeTestFolder().path;
    try {
      for (const file of files) writeFileSync(join(folder, file), `the ${file}`);
      const access = inClusterAccess({ env, folder });
      if (refused === undefined) {
        const through = proxyUrl === undefined ? {} : { proxyUrl };
        const rest = { tokenFile: join(folder, 'token'), ca: 'the ca.crt', ...through };
        assert.deepEqual(await access, { server, ...rest });
      } else await assert.rejects(access, { message: refused });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
