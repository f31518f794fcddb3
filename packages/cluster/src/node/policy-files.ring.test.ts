/** Who is believed and who decides, by files that change while the server runs. */
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CONFIG_MAPS } from '@binnacle/api';
import type { AuthenticationSettings, AuthorizerSettings } from '@binnacle/apiserver';
import { Scope, silentLogger } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { makeTestFolder } from '@binnacle/base/testing';
import { readText } from '@binnacle/machinery';
import { ADMIN } from '../identities.ts';
import { startControlPlane } from './control-plane.ts';
import type { ControlPlane } from './control-plane.ts';
import { hearing } from './testing/hearing.ts';

const folder = makeTestFolder();
const [believed, deciding] = ['believed.json', 'deciding.json'].map((name) => join(folder.path, name)) as [
  string,
  string,
];
const scope = new Scope('plane', { log: silentLogger });
const { log, until } = hearing();
const HOUSE: AuthorizerSettings[] = [
  { type: 'Node', name: 'node' },
  { type: 'RBAC', name: 'rbac' },
];
const ANYBODY: AuthorizerSettings = { type: 'AlwaysAllow', name: 'alwaysallow' };
let plane: ControlPlane;

function write(path: string, said: unknown): string {
  const text = JSON.stringify(said);
  writeWhole(path, text);
  return text;
}

/** As mounted ConfigMaps change: who looks while a file is written in place finds it empty, and counts that. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

const readAs =
  <T>() =>
  (text: string): T =>
    JSON.parse(text) as T;

/** Lists what nobody has a right to. */
const asked = async (): Promise<'let in' | 'turned away'> => {
  const maps = plane.clientAs({ name: 'jane', groups: ['system:authenticated'] }).resource(CONFIG_MAPS, 'default');
  return maps.list().then(
    () => 'let in',
    () => 'turned away',
  );
};

const figure = async (name: string): Promise<readonly string[]> => {
  const shown = await readText(plane.server.clientAs(ADMIN), '/metrics');
  const lines = shown.split('\n').filter((line) => line.startsWith(`apiserver_${name}{`));
  return lines.map((line) => line.replace(/^.*status="(\w+)".* /, '$1 '));
};

describe('files of policy that change', () => {
  before(async () => {
    const authentication = {
      path: believed,
      text: write(believed, { jwt: [] }),
      read: readAs<AuthenticationSettings>(),
    };
    const authorization = {
      path: deciding,
      text: write(deciding, HOUSE),
      read: readAs<readonly AuthorizerSettings[]>(),
    };
    plane = await startControlPlane({
      world: { clock: realClock, random: secureRandom, log },
      scope,
      pki: join(folder.path, 'pki'),
      store: { engine: 'memory' },
      authentication: { jwt: [] },
      authorization: HOUSE,
      files: { authentication, authorization },
    });
  });
  after(async () => {
    await scope.close();
    folder.remove();
  });

  it('another chain decides from then on', async () => {
    assert.equal(await asked(), 'turned away');
    write(deciding, [...HOUSE, ANYBODY]);
    await until('the authorization configuration was read anew');
    assert.equal(await asked(), 'let in');
  });

  it('what is none, or is gone, leaves what held before', async () => {
    writeWhole(deciding, '[{');
    await until('what held before goes on');
    rmSync(deciding);
    await until('what held before goes on');
    assert.equal(await asked(), 'let in');
    write(deciding, HOUSE);
    await until('the authorization configuration was read anew');
    assert.equal(await asked(), 'turned away');
  });

  it('other issuers are believed', async () => {
    writeWhole(believed, 'none');
    await until('what held before goes on');
    write(believed, { jwt: [], another: true });
    await until('the authentication configuration was read anew');
  });

  it('all of it is counted', async () => {
    const reloads = 'config_controller_automatic_reloads_total';
    assert.deepEqual(await figure(`authorization_${reloads}`), ['success 2', 'failure 2']);
    assert.deepEqual(await figure(`authentication_${reloads}`), ['failure 1', 'success 1']);
    const last = await figure('authorization_config_controller_automatic_reload_last_timestamp_seconds');
    assert.equal(last.length, 2);
  });
});
