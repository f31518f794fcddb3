/** Time travel in the browser: lists and details as of a revision, what changed since, who wrote what. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const CONTROLLERS = { group: '', version: 'v1', resource: 'replicationcontrollers' };

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  await enter(scene);
});

after(async () => {
  await scene?.stop();
});

const row = (text: string | RegExp) => scene.page.locator('[role=row]', { hasText: text });

describe('time travel in the browser', () => {
  test('back to before the controller: its pods were not there; forward again, change by change', async () => {
    const { page, wire, origin } = scene;
    await page.goto(`${origin}/r/core/v1/pods?ns=default`);
    const template = { metadata: { labels: { app: 'rc' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
    const body = {
      ...{ apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'rc' } },
      spec: { replicas: 1, selector: { app: 'rc' }, template },
    };
    await wire.call({ verb: 'create', resource: CONTROLLERS, namespace: 'default', body });
    await row(/rc-.*Running/).waitFor();
    await page.getByRole('button', { name: 'Time', exact: true }).click();
    const back = page.getByRole('button', { name: 'Change before' });
    // To the moment of the last change, then to those before it: bound, then made.
    await back.click();
    await page.waitForURL(/at=\d+/);
    const seen: string[] = [];
    for (let steps = 0; steps < 10 && !seen.includes('Pending'); steps++) {
      await back.click();
      await page.getByText('Not live').waitFor();
      seen.push(...(await row(/rc-/).locator('[role=cell]').nth(2).allTextContents()));
    }
    assert.ok(seen.includes('Pending'), seen.join());
    await demandAccessible(scene, 'the past');
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await page.getByText('Nothing here').waitFor();
  });

  test('what changed since then is told object by object, with the difference', async () => {
    const { page } = scene;
    await page.getByRole('button', { name: 'What changed since then' }).click();
    await page.getByRole('button', { name: /default\/rc-/ }).click();
    await page.getByText('+ metadata:').waitFor();
    await demandAccessible(scene, 'changes');
  });

  test('an object tells its versions, who made them, and who wrote each field', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/r/core/v1/replicationcontrollers/default/rc/history`);
    await page.getByRole('row', { name: /POST \/api\/v1\/namespaces\/default\/replicationcontrollers/ }).waitFor();
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('row', { name: /^status.readyReplicas 1 \d+ .*replication-controller/ }).waitFor();
    await demandAccessible(scene, 'history');
    await page.getByRole('button', { name: 'Go there' }).last().click();
    await page.waitForURL(/at=\d+/);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByText('replicas: 0').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Scale' }).count(), 0, 'nobody changes the past');
  });

  test('what is gone keeps its story; the picture can be taken away', async () => {
    const { page, wire, origin } = scene;
    await page.goto(`${origin}/r/core/v1/replicationcontrollers/default/rc/why`);
    await page.locator('svg tspan[data-step="5"]').waitFor();
    await wire.call({ verb: 'delete', resource: CONTROLLERS, namespace: 'default', name: 'rc' });
    await page.getByText('It is gone').waitFor();
    await page.locator('svg tspan[data-step="5"]').waitFor();
    for (const [label, start] of [
      ['SVG', /^<svg xmlns/],
      ['HTML', /^<!doctype html>/i],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Download: ${label}` }).click(),
      ]);
      assert.match(readFileSync(await download.path(), 'utf8'), start);
    }
    await page
      .locator('svg [role=button]')
      .filter({ has: page.locator('[data-step="1"]') })
      .click();
    await page.getByText('+ kind: ReplicationController').waitFor();
    assert.deepEqual(scene.complaints, []);
  });

  test('what nobody keeps is not shown as if it had been so then', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/r/core/v1/componentstatuses`);
    await page.getByRole('link', { name: 'scheduler' }).click();
    await page.getByRole('tab', { name: 'Events' }).waitFor();
    assert.equal(await page.getByRole('tab', { name: 'History' }).count(), 0);
    const hint = page.getByText('Nobody keeps the past of this kind');
    const { metadata } = (await scene.wire.call({
      ...{ verb: 'list', resource: { group: '', version: 'v1', resource: 'nodes' } },
    })) as { readonly metadata: { readonly resourceVersion: string } };
    for (const one of ['', '/-/scheduler']) {
      await page.goto(`${origin}/r/core/v1/componentstatuses${one}?at=${metadata.resourceVersion}`);
      await hint.first().waitFor();
      assert.equal(await page.getByText('Healthy').count(), 0);
    }
  });

  test('a moment that is compacted is said to be', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/r/core/v1/pods?at=1`);
    await page.getByText('The store has let go of this moment').waitFor();
    await page.getByRole('button', { name: 'Now' }).click();
    await page.getByText('Live').waitFor();
  });
});
