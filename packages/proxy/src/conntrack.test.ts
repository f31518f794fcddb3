import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONNTRACK_DEFAULTS, conntrackSettings } from './conntrack.ts';
import type { ConntrackConfiguration } from './conntrack.ts';

const NONE: ConntrackConfiguration = {
  maxPerCore: 0,
  min: 131_072,
  tcpEstablishedTimeout: 0,
  tcpCloseWaitTimeout: 0,
  tcpBeLiberal: false,
  udpTimeout: 0,
  udpStreamTimeout: 0,
};

const CASES: readonly (readonly [
  name: string,
  wanted: ConntrackConfiguration,
  processors: number,
  settings: { readonly [name: string]: number },
])[] = [
  ['nothing asked for: as the machine has it', NONE, 4, {}],
  [
    "upstream's on a small machine",
    CONNTRACK_DEFAULTS,
    2,
    { max: 131_072, hashsize: 32_768, tcp_timeout_established: 86_400, tcp_timeout_close_wait: 3600 },
  ],
  ['more for more processors', { ...NONE, maxPerCore: 32_768 }, 8, { max: 262_144, hashsize: 65_536 }],
  [
    'what else there is',
    { ...NONE, tcpBeLiberal: true, udpTimeout: 10_000, udpStreamTimeout: 90_500 },
    1,
    { tcp_be_liberal: 1, udp_timeout: 10, udp_timeout_stream: 90 },
  ],
];
for (const [name, wanted, processors, settings] of CASES) {
  test(`the kernel's table of connections: ${name}`, () => {
    const made = conntrackSettings(wanted, processors).map(({ file, value }) => [
      file.replace(/^.*(?:nf_conntrack_|\/)/, ''),
      value,
    ]);
    assert.deepEqual(Object.fromEntries(made), settings);
  });
}
