/** The stories of real containers as somebody sees them in the browser: made, watched, explained, read, entered, opened. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { skipWithoutContainerd, startContainerdCluster } from '@binnacle/testkit';
import type { OneProcessCluster } from '@binnacle/testkit';
import type { Locator } from 'playwright-core';
import { demandAccessible, demandPeace, enter, lookAt } from './dashboard-scene.ts';
import type { DashboardSight } from './dashboard-scene.ts';
import { IMAGE } from './manifests.ts';

const skip = await skipWithoutContainerd();
const CONTROLLER = `apiVersion: v1
kind: ReplicationController
metadata:
  name: web
  namespace: default
spec:
  replicas: 1
  selector: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: web
          image: ${IMAGE}
          ports: [{containerPort: 80, name: http}]
          command: [sh, -c, 'mkdir /out; echo "served by $(hostname)" > /out/index.html; echo listening; exec httpd -f -v -p 80 -h /out']
        - name: helper
          image: ${IMAGE}
          command: [sh, -c, 'while true; do echo still here; sleep 1; done']
`;

describe('containers in the browser', { skip }, () => {
  let cluster: OneProcessCluster;
  let sight: DashboardSight;
  let pod = '';

  before(async () => {
    cluster = await startContainerdCluster();
    sight = await lookAt(cluster.dashboard());
    await enter(sight);
  });
  after(async () => {
    await sight?.browser.close();
    await cluster?.stop();
    demandPeace(sight);
  });

  const tab = async (name: string): Promise<void> => sight.page.getByRole('tab', { name }).click();
  const arrow = (title: RegExp): Locator => sight.page.locator('svg [role=button]', { hasText: title }).first();

  test('a controller is made of YAML, and its pod comes into the list and runs', async () => {
    const { page, origin } = sight;
    await page.goto(`${origin}/new/core/v1/replicationcontrollers?ns=default`);
    await page.locator('.cm-line', { hasText: 'name: example' }).first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(CONTROLLER);
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('The server would make it.').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/replicationcontrollers\/default\/web$/);
    await page.goto(`${origin}/r/core/v1/pods?ns=default`);
    const row = page.locator('[role=row]', { hasText: /^web-/ });
    await row.filter({ hasText: 'Running' }).waitFor({ timeout: 60_000 });
    pod = (await row.locator('a').first().textContent()) ?? '';
  });

  test('why it runs: all steps in their order, down to what the runtime was told', async () => {
    const { page } = sight;
    await page.getByRole('link', { name: pod }).click();
    await tab('Why');
    await page.locator('svg tspan[data-step="11"]').waitFor();
    assert.deepEqual(
      await page.locator('svg tspan[data-step]').allTextContents(),
      Array.from({ length: 11 }, (_, at) => `${at + 1}. `),
    );
    const tops = [];
    for (const title of [/run sandbox/, /create container/, /start container/]) {
      await arrow(title).waitFor();
      assert.match((await arrow(title).textContent()) ?? '', /\d ms/);
      tops.push((await arrow(title).boundingBox())?.y ?? 0);
    }
    assert.deepEqual(
      tops,
      tops.toSorted((a, b) => a - b),
    );
    await arrow(/start container/).click();
    await page
      .getByLabel('Details')
      .getByText(/type: runtime[^]*call: /)
      .waitFor();
    await demandAccessible(sight, 'why, on containers');
  });

  test('the picture is taken away as a page and as a drawing', async () => {
    const { page } = sight;
    for (const [label, start] of [
      ['HTML', /^<!doctype html>/i],
      ['SVG', /^<svg xmlns/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Download: ${label}` }).click(),
      ]);
      const text = readFileSync(await download.path(), 'utf8');
      assert.match(text, start);
      assert.match(text, /start container/);
      assert.doesNotMatch(text, /<script|(?:src|href)="?https?:/i);
    }
  });

  test('what it writes is read as it writes', async () => {
    const { page } = sight;
    await tab('Logs');
    await page.getByRole('log').getByText('listening').waitFor();
  });

  test('what all its containers write is read together, each line with whose it is, and taken away so', async () => {
    const { page } = sight;
    await page.getByRole('combobox', { name: 'Container' }).click();
    await page.getByRole('option', { name: 'All containers' }).click();
    const log = page.getByRole('log');
    await log.getByText('[web] listening').waitFor();
    await log.getByText('[helper] still here').first().waitFor();
    await demandAccessible(sight, 'logs of all containers');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), `${pod}.log`);
    const text = readFileSync(await download.path(), 'utf8');
    assert.match(text, /^\[web\] listening$/m);
    assert.match(text, /^\[helper\] still here$/m);
    await page.getByRole('textbox', { name: 'Filter' }).fill('listening');
    await log.getByText('[helper]').first().waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Filter' }).fill('');
    await page.getByRole('checkbox', { name: 'Times' }).check();
    await log
      .getByText(/^\[helper\] \d{4}-\d\d-\d\dT\S+ still here$/)
      .first()
      .waitFor();
  });

  test('a shell in it answers', async () => {
    const { page } = sight;
    await tab('Terminal');
    await page.locator('.xterm-screen').click();
    await page.keyboard.type('cat /out/index.html; echo $((20+3))\n');
    await page.locator('.xterm-accessibility', { hasText: `served by ${pod}` }).waitFor({ state: 'attached' });
    await page.locator('.xterm-accessibility', { hasText: '23' }).waitFor({ state: 'attached' });
  });

  test('its port is opened in a page of its own, and the log tells of it', async () => {
    const { page } = sight;
    await tab('Summary');
    await page.getByRole('button', { name: 'Open: 80', exact: true }).click();
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: /localhost/ }).click(),
    ]);
    await opened.getByText(`served by ${pod}`).waitFor();
    assert.notEqual(new URL(opened.url()).hostname, new URL(sight.origin).hostname);
    await opened.close();
    await tab('Logs');
    await page
      .getByRole('log')
      .getByText(/response:200/)
      .waitFor();
  });

  test('it is deleted, another one takes its place, and its story stays', async () => {
    const { page } = sight;
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.goto(`${sight.origin}/r/core/v1/pods/default/${pod}/why`);
    await page.getByText('It is gone').waitFor({ timeout: 60_000 });
    await arrow(/start container/).waitFor();
    await page.goto(`${sight.origin}/r/core/v1/pods?ns=default`);
    await page.locator('[role=row]', { hasText: /^web-/ }).filter({ hasText: 'Running' }).waitFor({ timeout: 60_000 });
    assert.deepEqual(sight.complaints, []);
  });
});
