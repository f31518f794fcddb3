import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import { IptablesNetwork } from '../iptables/iptables-network.ts';
import { NftablesNetwork } from '../nftables/nftables-network.ts';
import type { ServiceNetwork, ServiceRules } from '../rules.ts';
import type { RunTool } from './run-tool.ts';
import { NODE, serviceRules } from '../testing/service-rules.ts';
import { staleFlows } from './stale-flows.ts';

function service(hosts: readonly string[], more: Partial<ServiceRules> = {}): ServiceRules {
  return serviceRules('a', {
    protocol: 'udp',
    port: 53,
    clusterIP: '10.96.0.10',
    external: { addresses: [], nodePort: 30053, fate: 'cluster', insideFate: 'cluster', keepsSource: false },
    backends: { cluster: hosts.map((address) => ({ address, port: 5353, local: true })), local: [] },
    ...more,
  });
}

const CLUSTER_IP = '--orig-dst 10.96.0.10 --orig-port-dst 53';
const NODE_PORT = '--orig-port-dst 30053';
const GONE = '--reply-src 10.1.0.1 --reply-port-src 5353';

const ROWS: readonly (readonly [string, ServiceRules | undefined, ServiceRules | undefined, readonly string[]])[] = [
  [
    'a backend went',
    service(['10.1.0.1', '10.1.0.2']),
    service(['10.1.0.2']),
    [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`],
  ],
  ['the Service went', service(['10.1.0.1']), undefined, [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`]],
  ['the first backend came', service([]), service(['10.1.0.1']), [CLUSTER_IP, NODE_PORT]],
  ['one more came', service(['10.1.0.1']), service(['10.1.0.1', '10.1.0.2']), []],
  ['TCP ends by itself', service(['10.1.0.1'], { protocol: 'tcp' }), undefined, []],
];

for (const [name, before, after, flows] of ROWS) {
  test(name, () => {
    const told = staleFlows(before, after).map((args) => args.join(' '));
    assert.deepEqual(
      told,
      flows.map((flow) => `-D -f ipv4 -p udp ${flow}`),
    );
  });
}

const MAKERS: Readonly<Record<string, (run: RunTool) => ServiceNetwork>> = {
  nftables: (run) => new NftablesNetwork({ table: 't', families: ['IPv4'], run, log: silentLogger }),
  iptables: (run) => new IptablesNetwork({ prefix: 'T', families: ['IPv4'], run, log: silentLogger }),
};

for (const [name, make] of Object.entries(MAKERS)) {
  test(`${name}: a change that was refused, and all that is made anew after it, forgets what the change would have`, async () => {
    const forgotten: string[] = [];
    let isRefusing = false;
    const network = make(async ([tool, ...args]) => {
      if (tool === 'conntrack') forgotten.push(args.join(' '));
      else if (isRefusing) throw new NetworkError('no');
      return '';
    });
    await network.replace(NODE, new Map([['a', service(['10.1.0.1', '10.1.0.2'])]]));
    const after = new Map([['a', service(['10.1.0.2'])]]);
    isRefusing = true;
    await assert.rejects(network.change(after));
    isRefusing = false;
    await network.replace(NODE, after);
    assert.deepEqual(
      forgotten,
      [`${CLUSTER_IP} ${GONE}`, `${NODE_PORT} ${GONE}`].map((flow) => `-D -f ipv4 -p udp ${flow}`),
    );
    await network.replace(NODE, after);
    assert.equal(forgotten.length, 2);
  });
}
