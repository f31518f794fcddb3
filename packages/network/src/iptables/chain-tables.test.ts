import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetworkError } from '../errors.ts';
import { ChainNames } from './chain-names.ts';
import { ChainTables } from './chain-tables.ts';
import type { Table } from './render-node.ts';
import type { Chains } from './render-service.ts';

const CHAINS: Readonly<Record<Table, Chains>> = {
  nat: new Map([['T-SERVICES', []]]),
  filter: new Map([['T-FORWARD', ['-j T-REFUSE']]]),
  security: new Map([['T-UNKNOWN-FORWARD', ['-d 10.96.0.0/16 -j DROP']]]),
};
const NEW = '-m conntrack --ctstate NEW -j';

/** A machine that says this of its tables; what it was told to write, and whether the ways in are looked for. */
function machine(says: { readonly [table: string]: string | undefined }) {
  const told: string[] = [];
  const looked: string[] = [];
  const tables = new ChainTables({
    names: new ChainNames('T'),
    run: async (command, input = '') => {
      if (command[0]?.endsWith('-restore') === true) told.push(input);
      if (command.includes('-C')) looked.push(command.slice(command.indexOf('-t') + 1).join(' '));
      if (command[0]?.endsWith('-save') !== true) return '';
      const said = says[command.at(-1) ?? ''];
      if (said === undefined) throw new NetworkError('iptables-save: Cannot initialize: Table does not exist');
      return said;
    },
  });
  /** What was written into one table last. */
  const written = (table: string): string =>
    (told.at(-1) ?? '').split('COMMIT\n').find((text) => text.startsWith(`*${table}\n`)) ?? '';
  return { tables, told, looked, written };
}

test('what nobody knows is dropped in the table that comes last', async () => {
  const { tables, looked, written } = machine({ nat: '', filter: '', security: '' });
  await tables.replace('IPv4', CHAINS);
  assert.match(written('security'), /-A T-UNKNOWN-FORWARD -d 10\.96\.0\.0\/16 -j DROP/);
  assert.match(written('security'), new RegExp(`-I FORWARD 1 ${NEW} T-UNKNOWN-FORWARD`));
  assert.doesNotMatch(written('filter'), /UNKNOWN/);
  assert.equal(await tables.isThere('IPv4'), true);
  assert.deepEqual(
    looked.filter((way) => way.includes('UNKNOWN')),
    ['FORWARD', 'OUTPUT'].map((chain) => `security -C ${chain} ${NEW} T-UNKNOWN-${chain}`),
  );
});

test('a kernel without that table has it at the end of another, in changes too', async () => {
  const { tables, told, looked, written } = machine({ nat: '', filter: '' });
  await tables.replace('IPv4', CHAINS);
  assert.match(written('filter'), new RegExp(`-I FORWARD 1 ${NEW} T-FORWARD[^]*-A FORWARD ${NEW} T-UNKNOWN-FORWARD`));
  await tables.change('IPv4', {
    nat: { before: CHAINS.nat, after: CHAINS.nat },
    filter: { before: CHAINS.filter, after: CHAINS.filter },
    security: { before: CHAINS.security, after: new Map([['T-UNKNOWN-FORWARD', []]]) },
  });
  assert.equal(told.at(-1), '*filter\n:T-UNKNOWN-FORWARD - [0:0]\nCOMMIT\n');
  assert.equal(await tables.isThere('IPv4'), true);
  assert.doesNotMatch(looked.join('\n'), /security/);
  assert.match(looked.join('\n'), new RegExp(`filter -C FORWARD ${NEW} T-UNKNOWN-FORWARD`));
  assert.doesNotMatch(told.join(''), /\*security/);
});

test('a kernel that has it by now is led there from nowhere else', async () => {
  const filter = [
    ':T-UNKNOWN-FORWARD - [0:0]',
    `-A FORWARD ${NEW} T-FORWARD`,
    `-A FORWARD ${NEW} T-UNKNOWN-FORWARD`,
  ].join('\n');
  const { tables, written } = machine({ nat: '', filter, security: '' });
  await tables.replace('IPv4', CHAINS);
  assert.match(written('filter'), new RegExp(`-D FORWARD ${NEW} T-UNKNOWN-FORWARD[^]*-X T-UNKNOWN-FORWARD`));
  assert.doesNotMatch(written('filter'), new RegExp(`-I FORWARD 1 ${NEW} T-FORWARD`), 'which is there');
});
