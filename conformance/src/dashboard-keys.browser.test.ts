/** Keys first: search, kinds, rows and tabs without a mouse; and the actions that take several calls. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  await enter(scene);
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } };
  const body = {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
  };
  await scene.wire.call({ verb: 'create', resource: DEPLOYMENTS, namespace: 'default', body });
});

after(async () => {
  await scene?.stop();
});

const pressed = async (...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await scene.page.keyboard.press(key);
};

describe('keys in the browser', () => {
  test('what is typed before the search has been loaded is searched for', async () => {
    const { page } = scene;
    const { promise: asked, resolve: load } = Promise.withResolvers<void>();
    const { promise: typed, resolve: release } = Promise.withResolvers<void>();
    await page.route(/\/palette-[^/]*\.js$/, async (route) => {
      load();
      await typed;
      await route.continue();
    });
    await pressed('Control+k');
    await asked;
    await page.keyboard.type('nodez');
    await pressed('Backspace', 's');
    release();
    const field = page.getByRole('combobox', { name: 'Search everything' });
    await field.waitFor();
    assert.equal(await field.inputValue(), 'nodes');
    await page.keyboard.type(' x');
    assert.equal(await field.inputValue(), 'nodes x');
    await pressed('Backspace', 'Backspace', 'Enter');
    await page.getByRole('heading', { name: 'Node', exact: true }).waitFor();
    await page.unroute(/\/palette-[^/]*\.js$/);
  });

  test('a colon and a short name lead to a kind, a slash to its filter', async () => {
    const { page } = scene;
    await pressed(':');
    await page.getByRole('combobox', { name: 'Kinds' }).fill('po');
    await demandAccessible(scene, 'kinds');
    await pressed('Enter');
    await page.getByRole('heading', { name: 'Pod' }).waitFor();
    await page.locator('[role=row]', { hasText: 'Running' }).nth(1).waitFor();
    await pressed('/', 'w', 'e', 'b');
    await page.waitForURL(/q=web/);
    assert.equal(await page.getByRole('textbox', { name: 'Filter' }).inputValue(), 'web');
  });

  test('rows are walked, tabs opened by their letters, and Escape leads up', async () => {
    const { page } = scene;
    await page.getByRole('heading', { name: 'Pod' }).click();
    await pressed('j', 'j');
    const name = await page.evaluate('document.activeElement.textContent');
    await pressed('y');
    await page.getByRole('heading', { name: String(name) }).waitFor();
    await page.getByText(/^apiVersion: v1\nkind: Pod/).waitFor();
    for (const [key, tab] of [
      ['l', 'Logs'],
      ['w', 'Why'],
      ['h', 'History'],
      ['d', 'Summary'],
    ] as const) {
      await pressed(key);
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    }
    await pressed('Escape');
    await page.getByRole('heading', { name: 'Pod' }).waitFor();
  });

  test('Ctrl-K finds objects of every kind', async () => {
    const { page } = scene;
    await pressed('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('deployment web');
    await page.getByRole('option', { name: /^web Deployment/ }).waitFor();
    await demandAccessible(scene, 'search');
    await pressed('Enter');
    await page.waitForURL(/deployments\/default\/web$/);
  });

  test('the keys are told, and single ones can be switched off', async () => {
    const { page } = scene;
    await page.getByRole('heading', { name: 'web' }).waitFor();
    await pressed('?');
    await page.getByRole('dialog').waitFor();
    await demandAccessible(scene, 'keys');
    const single = page.getByRole('switch', { name: 'Single keys do something' });
    await single.click();
    await pressed('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await pressed('y', 'Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).waitFor();
    assert.match(page.url(), /web$/, 'a single key did nothing');
    await pressed('Escape');
    await page.evaluate('localStorage.removeItem("single-keys")');
  });

  test('Escape closes what is open, and leads nowhere', async () => {
    const { page } = scene;
    for (const open of ['Scale', 'Restart', 'Delete']) {
      await page.getByRole('button', { name: open, exact: true }).click();
      await page.getByRole('dialog').waitFor();
      await pressed('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.match(page.url(), /deployments\/default\/web$/, open);
    }
    await pressed('?');
    await page.getByRole('dialog').waitFor();
    await pressed('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.match(page.url(), /deployments\/default\/web$/, 'keys');
  });

  test('a rollout is undone, a node is drained', async () => {
    const { page, wire, origin } = scene;
    const path = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'nginx:2' }];
    const call = { verb: 'patch', resource: DEPLOYMENTS, namespace: 'default', name: 'web' } as const;
    await wire.call({ ...call, patch: 'json', body: path });
    await page.goto(`${origin}/r/apps/v1/deployments/default/web/yaml`);
    await page.getByText('image: nginx:2').waitFor();
    await page.getByRole('button', { name: 'Undo rollout' }).click();
    await page.getByText('kubectl rollout undo deployments.apps/web -n default').waitFor();
    await demandAccessible(scene, 'a dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Undo rollout' }).click();
    await page.getByText('image: nginx:1').waitFor();
    await page.goto(`${origin}/r/core/v1/nodes/-/node-0`);
    await page.getByRole('button', { name: 'Drain' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Uncordon' }).waitFor();
    await page.goto(`${origin}/`);
    await page.getByRole('region', { name: 'node-0' }).getByText('Pods 0 / 110').waitFor();
    assert.deepEqual(scene.complaints, []);
  });
});
