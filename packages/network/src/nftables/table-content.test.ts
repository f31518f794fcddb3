import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeRules, ServiceRules } from '../rules.ts';
import { HERE, serviceRules } from '../testing/service-rules.ts';
import { renderTable } from './render-table.ts';
import { TableContent } from './table-content.ts';

const NODE: NodeRules = {
  podRanges: ['10.244.0.0/16', 'fd02::/64'],
  serviceRanges: ['10.96.0.0/12'],
  insiders: ['10.244.0.0/16'],
  nodePortAddresses: ['192.0.2.1', 'fd01::1'],
  masqueradeAll: false,
  masqueradeBit: 14,
};

/** With one endpoint, of this node. */
const service = (id: string, more: Partial<ServiceRules> = {}): ServiceRules =>
  serviceRules(id, { backends: { cluster: [HERE], local: [] }, ...more });

const content = (): TableContent => new TableContent({ family: 'IPv4', name: 't' }, NODE);

test('what is unchanged asks for nothing, a changed backend for its elements alone', () => {
  const made = content();
  assert.ok(made.change([['a', service('a')]]).lines.length > 3);
  assert.deepEqual(made.change([['a', service('a')]]), { lines: [], stale: [] });
  const moved = { cluster: [{ address: '10.244.1.2', port: 8080, local: false }], local: [] };
  const { lines } = made.change([['a', service('a', { backends: moved })]]);
  assert.deepEqual(
    lines.map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['delete element', 'delete element', 'add element'],
    'its endpoint, and the hairpin of the backend that was here',
  );
});

test('what endpoints of one number share is made once, for those of higher numbers when they come', () => {
  const made = content();
  const spreads = (id: string, clusterIP: string, count: number): string[] => {
    const cluster = Array.from({ length: count }, (_, at) => ({ ...HERE, port: 9000 + at }));
    const { lines } = made.change([[id, service(id, { clusterIP, backends: { cluster, local: [] } })]]);
    return lines.flatMap((line) => /^add (?:map|rule) ip t (\S+)/.exec(line)?.[1] ?? []);
  };
  assert.deepEqual(spreads('a', '10.96.0.1', 1), ['tcp-endpoints-0', 'tcp-endpoint-0', 'tcp-spread-1']);
  assert.deepEqual(spreads('b', '10.96.0.2', 1), []);
  assert.deepEqual(spreads('b', '10.96.0.2', 2), ['tcp-endpoints-1', 'tcp-endpoint-1', 'tcp-spread-2']);
  assert.deepEqual(spreads('b', '10.96.0.2', 1), []);
  assert.deepEqual(spreads('c', '10.96.0.3', 2), []);
});

test('what goes leaves nothing', () => {
  const made = content();
  made.change([['a', service('a', { affinitySeconds: 60 })]]);
  const { lines, stale } = made.change([['a', undefined]]);
  assert.ok(lines.every((line) => /^(?:delete element|flush chain) /.test(line)));
  assert.deepEqual(
    stale.map((line) => /^delete (?:chain|set) ip t (\w+)-/.exec(line)?.[1]),
    ['endpoint', 'service', 'affinity'],
  );
});

test('a Service that comes and goes within one batch asks for no element', () => {
  const made = content();
  const { lines } = made.change([
    ['a', service('a')],
    ['a', undefined],
  ]);
  assert.deepEqual(
    lines.filter((line) => line.includes(' element ')),
    [],
  );
});

test('a table holds addresses of its own family', () => {
  const lines = renderTable({ family: 'IPv6', name: 't' }, NODE).join('\n');
  assert.doesNotMatch(lines, /10\.244|192\.0\.2/);
  assert.match(lines, /fd02::\/64/);
  assert.match(lines, /nodeport-ips \{ fd01::1 \}/);
});

test('what pods say to the world goes as from the node, to other pods as it is', () => {
  const masqueradeOut = { from: ['10.244.0.0/24', 'fd02::/64'], except: ['10.244.0.0/16', 'fd02::/48'] };
  const lines = renderTable({ family: 'IPv4', name: 't' }, { ...NODE, masqueradeOut }).join('\n');
  assert.match(
    lines,
    /nat-postrouting ip saddr \{ 10\.244\.0\.0\/24 \} ip daddr != \{ 10\.244\.0\.0\/16 \} masquerade/,
  );
  assert.doesNotMatch(renderTable({ family: 'IPv4', name: 't' }, NODE).join('\n'), /postrouting ip saddr/);
});

test('text of users that would be words of nft is not', () => {
  const { lines } = content().change([['a', service('ns/x; } flush ruleset {/tcp')]]);
  assert.doesNotMatch(lines.join('\n'), /flush ruleset/);
});
