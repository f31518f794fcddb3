/** Long lists while they change: the focus, the keys, and what servers may answer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const MAPS = { group: '', version: 'v1', resource: 'configmaps' };
const NAMESPACE = 'default';
const COUNT = 120;
const MARKUP = '<img src=x onerror="document.title=1">';

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  await enter(scene);
  await Promise.all(Array.from({ length: COUNT }, (_, at) => create(nameOf(at))));
});

after(async () => {
  await scene?.stop();
});

const nameOf = (at: number): string => `row-${String(at).padStart(3, '0')}`;
const create = (name: string): Promise<unknown> =>
  scene.wire.call({
    ...{ verb: 'create', resource: MAPS, namespace: NAMESPACE },
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
  });
const remove = (name: string): Promise<unknown> =>
  scene.wire.call({ verb: 'delete', resource: MAPS, namespace: NAMESPACE, name });

/** The list, read; the watch of it has told of nothing yet. */
async function open(query = ''): Promise<void> {
  await scene.page.goto(`${scene.origin}/r/core/v1/configmaps?ns=${NAMESPACE}${query}`);
  await scene.page.locator('[role=row] a').first().waitFor();
  await scene.page.getByText('Live', { exact: true }).waitFor();
}

const focus = (name: string): Promise<void> => scene.page.getByRole('link', { name, exact: true }).focus();
const focused = async (): Promise<string> =>
  String(await scene.page.evaluate('document.activeElement.textContent.slice(0, 40)'));
const scrollTo = (top: number): Promise<void> =>
  scene.page.locator('[role=table]').evaluate((list, to) => list.scrollTo(0, to), top);
const gone = (name: string): Promise<void> =>
  scene.page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });

/** What has the focus is seen: nothing stands before it. */
async function demandSeen(what: string): Promise<void> {
  const isSeen = await scene.page.evaluate(`(() => {
    const { left, top, width, height } = document.activeElement.getBoundingClientRect();
    return document.activeElement.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })()`);
  assert.ok(isSeen, `${what}: ${await focused()} is seen`);
}

describe('lists in the browser', () => {
  test('a row keeps the focus when a watch begins to tell, and when columns come and go', async () => {
    const { page } = scene;
    await open();
    await focus(nameOf(3));
    await create('row-000-new');
    await page.getByRole('link', { name: 'row-000-new' }).waitFor();
    assert.equal(await focused(), nameOf(3));
    await page.evaluate(`history.replaceState(null, '', location.href + '&wide=true');
      dispatchEvent(new PopStateEvent('popstate'))`);
    await page.waitForURL(/wide=true/);
    assert.equal(await focused(), nameOf(3));
    await remove('row-000-new');
  });

  test('where the row that has the focus is removed, the one in its place has it', async () => {
    await open();
    await focus(nameOf(3));
    await remove(nameOf(3));
    await gone(nameOf(3));
    assert.equal(await focused(), nameOf(4));
    await scene.page.keyboard.press('k');
    assert.equal(await focused(), nameOf(2));
    await create(nameOf(3));
    await scene.page.getByRole('link', { name: nameOf(3), exact: true }).waitFor();
    // The last one, beneath everything that is seen.
    await open('&q=row-00');
    await focus(nameOf(9));
    await remove(nameOf(9));
    await gone(nameOf(9));
    assert.equal(await focused(), nameOf(8));
    await create(nameOf(9));
  });

  test('no row that keys lead to is behind the head', async () => {
    await open();
    await scrollTo(1000);
    await focus(nameOf(40));
    for (let at = 40; at > 10; at--) {
      await scene.page.keyboard.press(at % 2 === 0 ? 'k' : 'Shift+Tab');
      await demandSeen('upwards');
    }
    assert.equal(await focused(), nameOf(10));
    for (let at = 10; at < 50; at++) await scene.page.keyboard.press(at % 2 === 0 ? 'j' : 'Tab');
    assert.equal(await focused(), nameOf(50));
    await demandSeen('downwards');
    // No row stands half behind the head: axe would find that its link is small.
    await scrollTo(30 * 34);
    await demandAccessible(scene, 'a list that was walked through');
    // The head is where it is, wherever the list is scrolled.
    await scrollTo(1000);
    await scene.page.getByRole('button', { name: 'Age', exact: true }).focus();
    assert.equal(await scene.page.locator('[role=table]').evaluate((list) => list.scrollTop), 1000);
  });

  test('from a row that was scrolled out of sight keys lead to its neighbours', async () => {
    for (const [to, down, up] of [
      [0, 'j', 'k'],
      [0, 'Tab', 'Shift+Tab'],
      [1_000_000, 'j', 'k'],
      [1_000_000, 'Tab', 'Shift+Tab'],
    ] as const) {
      for (const [key, next] of [
        [down, 61],
        [up, 59],
      ] as const) {
        await open();
        await scrollTo(60 * 34 - 200);
        await focus(nameOf(60));
        await scrollTo(to);
        await scene.page.getByRole('link', { name: nameOf(to === 0 ? 0 : COUNT - 1), exact: true }).waitFor();
        await scene.page.keyboard.press(key);
        assert.equal(await focused(), nameOf(next), `${key} from ${to}`);
        await demandSeen(key);
      }
    }
  });

  test('a key that begins in a list begins with what is seen', async () => {
    const { page } = scene;
    await open();
    await scrollTo(1000);
    await page.getByRole('link', { name: nameOf(45), exact: true }).waitFor();
    await page.keyboard.press('j');
    assert.equal(await focused(), nameOf(29));
    assert.equal(await page.locator('[role=table]').evaluate((list) => list.scrollTop), 1000, 'nothing moves');
    await open();
    await scrollTo(1000);
    await page.getByRole('link', { name: nameOf(45), exact: true }).waitFor();
    await page.keyboard.press('y');
    await page.waitForURL(new RegExp(`${nameOf(29)}/yaml`));
  });

  test('who looked at an object and comes back finds the list where it was, and its row with the focus', async () => {
    const { page } = scene;
    await open();
    await scrollTo(1000);
    await focus(nameOf(40));
    for (const back of [() => page.goBack(), () => page.keyboard.press('Escape')]) {
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: nameOf(40) }).waitFor();
      await back();
      await page.getByRole('link', { name: nameOf(40), exact: true }).waitFor();
      assert.equal(await focused(), nameOf(40));
      assert.equal(await page.locator('[role=table]').evaluate((list) => list.scrollTop), 1000);
    }
  });

  test('rows with too few cells, too many, of wrong types and sizes, and heads that steer, are text', async () => {
    const { page, origin } = scene;
    const columns = ['Name', `\u202e${MARKUP}`, 'Age', '__proto__', '__proto__'];
    const metadata = (name: string) => ({ name, namespace: NAMESPACE, uid: name, resourceVersion: '1' });
    const row = (name: string, cells: unknown) => ({ cells, object: { metadata: metadata(name) } });
    const rows = [
      row('none', null),
      row('constructor', []),
      row('__proto__', ['__proto__', MARKUP, 7, { a: [1] }, false, 'more', 'more']),
      row('long', ['x'.repeat(3_000_000), '\u202e', 'x'.repeat(3_000_000)]),
    ];
    await page.route(/configmaps\?.*limit=/, async (route) => {
      const response = await route.fetch();
      const table = (await response.json()) as object;
      const columnDefinitions = columns.map((name) => ({ name, type: 'string', priority: 0 }));
      await route.fulfill({ response, json: { ...table, columnDefinitions, rows } });
    });
    await page.goto(`${origin}/r/core/v1/configmaps?ns=${NAMESPACE}&q=`);
    await page.getByRole('link', { name: 'constructor' }).waitFor();
    await page.getByRole('link', { name: 'none' }).waitFor();
    assert.equal(await page.getByRole('row').count(), 5);
    assert.deepEqual(
      await page
        .getByRole('row', { name: '__proto__' })
        .last()
        .getByRole('cell')
        .evaluateAll((cells) => cells.map(({ textContent }) => textContent)),
      ['__proto__', MARKUP, '7', '{"a":[1]}', 'false'],
    );
    assert.match((await page.getByRole('columnheader').nth(1).textContent()) ?? '', /^\\u202e<img/);
    await page.getByRole('columnheader').nth(1).getByRole('button').click();
    await page.locator('[aria-sort=ascending]').waitFor();
    assert.match(await page.title(), /(^| · )Binnacle$/);
    await page.unrouteAll();
  });
});
