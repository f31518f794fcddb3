import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { NetworkError } from '../errors.ts';
import type { RunTool } from '../machine/run-tool.ts';
import type { NodeRules, ServiceRules } from '../rules.ts';
import { serviceRules } from '../testing/service-rules.ts';
import { IpvsNetwork } from './ipvs-network.ts';

const NODE: NodeRules = {
  podRanges: [],
  serviceRanges: [],
  masqueradeAll: false,
  masqueradeBit: 14,
  nodePortAddresses: [],
};

function service(clusterIP: string, ...pods: readonly string[]): ServiceRules {
  const cluster = pods.map((address) => ({ address, port: 8080, local: false }));
  return serviceRules('ns/web', { clusterIP, backends: { cluster, local: [] } });
}

const rules = (one: ServiceRules): ReadonlyMap<string, ServiceRules> => new Map([[one.id, one]]);

/** A machine that has nothing, takes everything but what is `refused`, and remembers what it was told. */
function machine() {
  const told: string[] = [];
  const refused = { word: 'none' };
  const run: RunTool = async (command, input = '') => {
    if (command.includes('-terse')) throw new NetworkError('ipset: The set with the given name does not exist');
    if (input.includes(refused.word)) throw new NetworkError(`${command[0]}: refused`);
    for (const line of input.split('\n').filter(Boolean)) told.push(`${command[0]} ${line}`);
    return '';
  };
  return { told, refused, run };
}

const networkOn = (run: RunTool): IpvsNetwork =>
  new IpvsNetwork({ prefix: 'T', families: ['IPv4'], run, log: silentLogger });

test('what is new is there before what is old goes, and no chain is written for it', async () => {
  const { told, run } = machine();
  const network = networkOn(run);
  await network.replace(NODE, rules(service('10.96.0.1', '10.244.0.2')));
  told.length = 0;
  await network.change(rules(service('10.96.0.9', '10.244.0.3')));
  assert.deepEqual(told, [
    'ipset add T-DOORS4 10.96.0.9,tcp:80',
    'ipset add T-CLUSTER4 10.96.0.9,tcp:80',
    'ipset add T-ADDRESSES4 10.96.0.9',
    'ip route replace local 10.96.0.9/32 dev lo proto 97 metric 16086263 table local',
    'ipvsadm -A -t 10.96.0.9:80 -s rr',
    'ipvsadm -a -t 10.96.0.9:80 -r 10.244.0.3:8080 -m -w 1',
    'ipvsadm -D -t 10.96.0.1:80',
    'ip route del local 10.96.0.1/32 dev lo proto 97 metric 16086263 table local',
    'ipset del T-DOORS4 10.96.0.1,tcp:80',
    'ipset del T-CLUSTER4 10.96.0.1,tcp:80',
    'ipset del T-ADDRESSES4 10.96.0.1',
  ]);
});

test('what the machine does not take takes nothing away', async () => {
  const { told, refused, run } = machine();
  const network = networkOn(run);
  await network.replace(NODE, rules(service('10.96.0.1', '10.244.0.2')));
  told.length = 0;
  refused.word = '10.96.0.300';
  await assert.rejects(network.change(rules(service('10.96.0.300', '10.244.0.2'))), { code: 'network' });
  assert.deepEqual(told, []);
  await network.change(rules(service('10.96.0.1', '10.244.0.2', '10.244.0.3')));
  assert.deepEqual(told, ['ipvsadm -a -t 10.96.0.1:80 -r 10.244.0.3:8080 -m -w 1'], 'what was is what it goes on from');
});

test('what another cluster on this machine takes as its own stays so, also when everything of ours goes', async () => {
  const { told, run } = machine();
  const others = JSON.stringify([{ type: 'local', dst: '10.97.0.0/16', dev: 'lo', protocol: '97', metric: 1_234_567 }]);
  const network = networkOn(async (command, input) => (command.includes('route') ? others : run(command, input)));
  await network.replace({ ...NODE, serviceRanges: ['10.96.0.0/16'] }, rules(service('10.96.0.1', '10.244.0.2')));
  await network.remove();
  assert.deepEqual(
    told.filter((line) => line.includes('10.97.')),
    [],
  );
});

/** The machine of another cluster, which has an address of Services and a node port. */
const THEIRS = [
  'create BNB-DOORS4 hash:ip,port',
  'add BNB-DOORS4 10.96.0.1,tcp:80',
  'add BNB-DOORS4 192.0.2.1,tcp:30080',
];
const beside =
  (run: RunTool): RunTool =>
  async (command, input) =>
    command.join(' ') === 'ipset save' ? THEIRS.join('\n') : run(command, input);

test('an address of Services that another cluster has is refused before anything is touched', async () => {
  const { told, run } = machine();
  const network = networkOn(beside(run));
  const said = {
    code: 'network',
    message: /10\.96\.0\.1:80 is served for another cluster .*BNB-DOORS4.*range of its own/,
  };
  await assert.rejects(network.replace(NODE, rules(service('10.96.0.1', '10.244.0.2'))), said);
  assert.deepEqual(told, []);
});

test('another door that another cluster has is left to it, and the rest holds', async () => {
  const { told, run } = machine();
  const network = networkOn(beside(run));
  const external = {
    addresses: ['192.0.2.1'],
    nodePort: 0,
    fate: 'cluster',
    keepsSource: false,
    insideFate: 'cluster',
  } as const;
  const one = { ...service('10.97.0.1', '10.244.0.2'), port: 30_080, external };
  await network.replace(NODE, rules(one));
  const virtuals = told.filter((line) => /^ipvsadm -A|^ipset add T-DOORS4/.test(line));
  assert.deepEqual(virtuals, ['ipset add T-DOORS4 10.97.0.1,tcp:30080', 'ipvsadm -A -t 10.97.0.1:30080 -s rr']);
});

test('what is served already and is in nobody’s set is gone on from', async () => {
  const { told, run } = machine();
  const saved = '-A -t 10.96.0.1:80 -s rr\n-a -t 10.96.0.1:80 -r 10.244.0.9:8080 -m -w 1\n';
  const network = networkOn(async (command, input) => (command.includes('--save') ? saved : run(command, input)));
  await network.replace(NODE, rules(service('10.96.0.1', '10.244.0.2')));
  assert.deepEqual(
    told.filter((line) => line.startsWith('ipvsadm')),
    ['ipvsadm -a -t 10.96.0.1:80 -r 10.244.0.2:8080 -m -w 1', 'ipvsadm -d -t 10.96.0.1:80 -r 10.244.0.9:8080'],
  );
});

test('thousands of addresses with thousands of endpoints each are refused before the machine is asked', async () => {
  const { told, run } = machine();
  const network = networkOn(run);
  await network.replace(NODE, rules(service('10.96.0.1', '10.244.0.2')));
  told.length = 0;
  const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `10.1.${at >> 8}.${at & 255}`);
  const external = { addresses: many(1000), nodePort: 0, fate: 'cluster', insideFate: 'cluster' } as const;
  const large = { ...service('10.96.0.9', ...many(1000)), external: { ...external, keepsSource: false } };
  await assert.rejects(network.change(rules(large)), /ns\/web: 1001 addresses of 1000 endpoints each are too many/);
  await assert.rejects(network.replace(NODE, rules(large)), NetworkError);
  assert.deepEqual(told, []);
});
