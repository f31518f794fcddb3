/** Parts of the page that are loaded later: those that do not come, those of a dashboard that was renewed, and who works without a mouse. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
};
const PODS = '/r/core/v1/pods';
const WEB = `${PODS}/default/web`;

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  const resource = { group: '', version: 'v1', resource: 'pods' };
  await scene.wire.call({ verb: 'create', resource, namespace: 'default', body: POD });
  await enter(scene);
});

after(async () => {
  await scene?.stop();
});

const row = (page: Page) => page.getByRole('link', { name: 'web', exact: true });

/** Nobody has the part of that name, until what comes back is called. */
async function lose(page: Page, name: string): Promise<() => Promise<void>> {
  const pattern = `**/assets/${name}-*.js`;
  const refuse = (route: Route): Promise<void> => route.fulfill({ status: 404, body: 'not found\n' });
  await page.route(pattern, refuse);
  return () => page.unroute(pattern, refuse);
}

/** Resolves once the row has the focus. */
function rowFocused(page: Page): Promise<void> {
  return row(page).and(page.locator(':focus')).waitFor();
}

/** What has the focus: its role, and what it says. */
async function focused(page: Page): Promise<string> {
  return String(
    await page.evaluate(
      `(({ tagName, role, textContent }) => (role ?? tagName.toLowerCase()) + ' ' + textContent.slice(0, 20))(document.activeElement)`,
    ),
  );
}

describe('parts of the page that do not come', () => {
  const above: readonly { readonly part: string; readonly key: string; readonly shown: string }[] = [
    { part: 'palette', key: 'Control+k', shown: 'combobox' },
    { part: 'help-dialog', key: '?', shown: 'switch' },
  ];
  for (const { part, key, shown } of above) {
    test(`${part}: the page stays, says what is missing, and shows it once it is there`, async () => {
      const { page, origin } = scene;
      await page.goto(origin + PODS);
      await row(page).waitFor();
      const found = await lose(page, part);
      await page.keyboard.press(key);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('A part of this page did not load').waitFor();
      await row(page).waitFor();
      await found();
      await dialog.getByRole('button', { name: 'Try again' }).focus();
      await page.keyboard.press('Enter');
      await page
        .getByRole('dialog')
        .getByRole(shown as 'switch')
        .waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    });
  }

  test('who gives such a search up finds the next one empty', async () => {
    const { page, origin } = scene;
    await page.goto(origin + PODS);
    await row(page).waitFor();
    const found = await lose(page, 'palette');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('node');
    await page.getByRole('dialog').getByText('A part of this page did not load').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await found();
    await page.keyboard.press('Control+k');
    assert.equal(await page.getByRole('combobox', { name: 'Search everything' }).inputValue(), '');
    await page.keyboard.press('Escape');
  });

  test('the slider over revisions: the page stays', async () => {
    const { page, origin } = scene;
    await page.goto(origin + PODS);
    await row(page).waitFor();
    const found = await lose(page, 'time-bar');
    await page.getByRole('button', { name: 'Time', exact: true }).click();
    await page.getByText('A part of this page did not load').waitFor();
    await row(page).waitFor();
    await found();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('slider').waitFor();
  });

  test('a tab: the others stay, and it is shown once it is there, by a button or by coming back', async () => {
    const { page, origin } = scene;
    for (const name of ['again', 'back']) {
      await page.goto(origin + WEB);
      const found = await lose(page, 'why-tab');
      await page.getByRole('tab', { name: 'Why' }).click();
      await page.getByText('A part of this page did not load').waitFor();
      await demandAccessible(scene, 'a part that did not come');
      await found();
      if (name === 'again') await page.getByRole('button', { name: 'Try again' }).click();
      else {
        await page.getByRole('tab', { name: 'Summary' }).click();
        await page.getByRole('tab', { name: 'Why' }).click();
      }
      await page.locator('svg tspan[data-step]').first().waitFor();
    }
  });

  test('texts of lessons: they are asked for again, and missed aloud', async () => {
    const { page, origin } = scene;
    let asked = 0;
    const pattern = '**/assets/lessons-en.json';
    await page.route(pattern, (route) => (asked++ === 0 ? route.abort('connectionfailed') : route.continue()));
    await page.goto(`${origin}/lessons`);
    await page.getByRole('link', { name: /how a pod/i }).waitFor();
    await page.unroute(pattern);
    await page.route(pattern, (route) => route.fulfill({ status: 404, body: 'not found\n' }));
    await page.reload();
    await page.getByText('A part of this page did not load').waitFor();
    await page.unroute(pattern);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: /how a pod/i }).waitFor();
  });
});

describe('a dashboard that was renewed under a page', () => {
  /** The server has another page by now. */
  async function renew(page: Page): Promise<() => Promise<void>> {
    const isPage = (url: URL): boolean => url.pathname === '/';
    const answer = (route: Route): Promise<void> =>
      route.fulfill({
        contentType: 'text/html',
        body: '<script type="module" src="/assets/main-NEWERONE.js"></script>',
      });
    await page.route(isPage, answer);
    return () => page.unroute(isPage, answer);
  }

  test('says that it was, where a part is gone, and what is typed elsewhere stays', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/new/core/v1/configmaps?ns=default`);
    await page.getByRole('textbox', { name: 'Name' }).first().fill('half-done');
    const [found, over] = [await lose(page, 'help-dialog'), await renew(page)];
    await page.getByRole('button', { name: 'Keys' }).click();
    await page.getByRole('dialog').getByText('The dashboard was renewed').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).first().inputValue(), 'half-done');
    await Promise.all([found(), over()]);
  });

  test('who logs in on a page of yesterday gets the one of today, where he was', async () => {
    const { page, origin } = scene;
    await page.goto(origin + WEB);
    await page.getByRole('tab', { name: 'Why' }).waitFor();
    const session = String(await page.evaluate('sessionStorage.getItem("session")'));
    await page.evaluate('dispatchEvent(new Event("session-over"))');
    await page.getByRole('heading', { name: 'Binnacle' }).waitFor();
    assert.match(await page.title(), /^Log in · Binnacle$/);
    const over = await renew(page);
    await page.route('**/session', (route) => route.fulfill({ json: { session } }));
    await page.getByRole('textbox', { name: 'Token' }).fill('anything');
    const loaded = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Log in' }).click();
    await loaded;
    assert.equal(page.url(), origin + WEB);
    await page.unroute('**/session');
    await over();
  });
});

describe('pages by keys alone', () => {
  test('what had the focus is gone: the content has it, and its row when somebody comes back', async () => {
    const { page, origin } = scene;
    await page.goto(origin + PODS);
    await row(page).focus();
    await page.keyboard.press('y');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    assert.match(await focused(page), /^main /);
    await page.keyboard.press('Tab');
    assert.equal(await focused(page), 'a Pod');
    await page.goBack();
    await rowFocused(page);
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Summary' }).waitFor();
    assert.match(await focused(page), /^main /);
    await page.keyboard.press('Escape');
    await rowFocused(page);
  });

  test('arrows walk over tabs and open none, least of all a shell; Enter opens', async () => {
    const { page, origin } = scene;
    await page.goto(origin + WEB);
    const shells: string[] = [];
    page.on('websocket', (socket) => shells.push(new URL(socket.url()).pathname));
    await page.getByRole('tab', { name: 'Summary' }).focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await focused(page), 'tab Terminal');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await focused(page), 'tab Logs');
    assert.equal(page.url(), origin + WEB);
    assert.ok(!shells.some((path) => path.endsWith('/exec')));
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}${WEB}/logs`);
    assert.equal(await page.getByRole('tab', { selected: true }).textContent(), 'Logs');
  });

  test('pages have names of their own in tabs of the browser and in its history', async () => {
    const { page, origin } = scene;
    const names: readonly (readonly [address: string, name: string])[] = [
      ['/', 'Overview · Binnacle'],
      [PODS, 'Pod · Binnacle'],
      [`${WEB}/why`, 'web · Why · Pod · Binnacle'],
    ];
    for (const [address, name] of names) {
      await page.goto(origin + address);
      await page.waitForFunction(
        (wanted) => (globalThis as { document?: { title: string } }).document?.title === wanted,
        name,
      );
    }
  });

  test('who waits for a part hears that he does', async () => {
    const { page, origin } = scene;
    await page.goto(origin + WEB);
    const pattern = '**/assets/history-tab-*.js';
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(pattern, async (route) => {
      await promise;
      await route.continue();
    });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    await demandAccessible(scene, 'a part on its way');
    resolve();
    await page.getByRole('button', { name: 'Go there' }).first().waitFor();
    await page.unroute(pattern);
  });
});
