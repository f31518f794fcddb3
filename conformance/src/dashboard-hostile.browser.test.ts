/** Objects that want to break the page, and more of them than anybody can look at. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
const STEERING = '\u001b[2J\u001b]0;owned\u0007\u202egpj.exe';

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  await enter(scene);
});

after(async () => {
  await scene?.stop();
});

const create = (resource: string, body: object): Promise<unknown> =>
  scene.wire.call({ verb: 'create', resource: core(resource), namespace: 'default', body });

/** No markup of an object became part of the page, and none of it ran. */
async function demandUnharmed(what: string): Promise<void> {
  const { page } = scene;
  assert.equal(await page.locator('#root img, #root script, #root iframe').count(), 0, what);
  assert.match(await page.title(), /(^| · )Binnacle$/, what);
}

describe('hostile objects in the browser', () => {
  test('markup in every string that an object may have is text on every tab', async () => {
    const { page, origin } = scene;
    const metadata = { name: 'evil', annotations: { a: MARKUP, b: STEERING } };
    const env = [{ name: 'A', value: MARKUP }];
    const container = { name: 'c', image: 'nginx', command: [MARKUP], env, workingDir: `/${MARKUP}` };
    await create('pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } });
    const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'evil' };
    const times = { firstTimestamp: new Date().toISOString(), lastTimestamp: new Date().toISOString() };
    await create('events', {
      ...{
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'evil' },
        type: 'Warning',
        reason: MARKUP,
        message: MARKUP + STEERING,
      },
      ...{ involvedObject, source: { component: MARKUP }, ...times },
    });
    const tabs = ['', '/yaml', '/history', '/why', '/events', '/related', '/logs'];
    for (const path of [
      '/',
      '/topology',
      '/r/core/v1/pods',
      '/r/core/v1/events',
      ...tabs.map((tab) => `/r/core/v1/pods/default/evil${tab}`),
    ]) {
      await page.goto(origin + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await demandUnharmed(path);
    }
    await page.goto(`${origin}/`);
    await page.getByText(MARKUP).first().waitFor();
    await demandAccessible(scene, 'hostile');
  });

  test('names, columns and descriptions of kinds that somebody made up are text, and commands run nothing', async () => {
    const { page, origin, wire } = scene;
    const name = `$(id);'<img src=x onerror="document.title=1">\u202e`;
    await wire.call({
      ...{ verb: 'create', resource: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' } },
      body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] },
    });
    const columns = ['.spec.a', '.spec.b'].map((jsonPath) => ({
      name: MARKUP,
      type: 'string',
      jsonPath,
      description: MARKUP,
    }));
    const text = { type: 'string', description: MARKUP, default: MARKUP };
    const spec = { type: 'object', description: MARKUP, required: ['a'], properties: { a: text, b: text } };
    const schema = { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec } } };
    const version = { name: 'v1', served: true, storage: true, schema, additionalPrinterColumns: columns };
    await wire.call({
      ...{
        verb: 'create',
        resource: { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
      },
      body: {
        ...{
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'oddities.evil.example' },
        },
        spec: {
          group: 'evil.example',
          scope: 'Cluster',
          names: { kind: 'Oddity', plural: 'oddities' },
          versions: [version],
        },
      },
    });
    await page.goto(`${origin}/new/evil.example/v1/oddities`);
    // What the kind demands comes with its schema, behind the rest.
    await page.locator('.cm-line', { hasText: /^spec:/ }).waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/oddities\/-\/example$/);
    const roles = '/r/rbac.authorization.k8s.io/v1/clusterroles';
    const role = `${roles}/-/${encodeURIComponent(name)}`;
    for (const path of ['/r/evil.example/v1/oddities', '/new/evil.example/v1/oddities', roles, role, `${role}/yaml`]) {
      await page.goto(origin + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await demandUnharmed(path);
      await demandAccessible(scene, path);
    }
    await page.getByRole('heading', { name: String.raw`\u202e` }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const command = await page.getByRole('dialog').locator('pre').textContent();
    await page.keyboard.press('Escape');
    // What the shell would run, in the place of kubectl.
    const words = execFileSync('bash', ['-c', `kubectl() { printf '%s\\0' "$@"; }; ${command ?? ''}`], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    assert.equal(words.split('\0')[1], `clusterroles.rbac.authorization.k8s.io/${name}`);
  });

  test('an address with markup or without sense does no harm', async () => {
    const { page, origin } = scene;
    for (const path of [
      `/r/core/v1/pods?q=${encodeURIComponent(MARKUP)}`,
      `/r/core/v1/pods/default/${encodeURIComponent(MARKUP)}`,
      '/r/constructor/__proto__/toString',
      '/lessons/__proto__',
      '/%E0%A4%A',
      '/r/core/v1/pods?at=99999999999999999999',
    ]) {
      await page.goto(origin + path);
      await page.getByRole('navigation', { name: 'Kinds' }).waitFor();
      await demandUnharmed(path);
    }
    // The browser tells of what the server refuses.
    scene.complaints.length = 0;
  });

  test('a part that does not load is said to be missing, and the rest stays', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/r/core/v1/pods`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route('**/assets/topology-page-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Topology' }).click();
    await page.getByRole('alert').filter({ hasText: 'A part of this page did not load' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.unroute('**/assets/topology-page-*.js');
    scene.complaints.length = 0;
  });

  test('a component that can be held has a page of its own', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/r/trace.binnacle.dev/v1/pauses/-/kube-scheduler/yaml`);
    await page.getByText('name: kube-scheduler').waitFor();
  });

  test('an object of a megabyte is shown and edited, and the page stays awake', async () => {
    const { page, origin } = scene;
    const data = { big: Array.from({ length: 14_000 }, (_, at) => `line ${at} ${'x'.repeat(50)}`).join('\n') };
    await create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data });
    await page.goto(`${origin}/r/core/v1/configmaps/default/big/yaml`);
    await page.getByText('line 0 x').waitFor();
    const startedMs = Date.now();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.cm-line', { hasText: 'apiVersion' }).waitFor();
    await page.getByRole('tab', { name: 'Summary' }).click();
    await page.getByRole('tab', { name: 'Summary', selected: true }).waitFor();
    assert.ok(Date.now() - startedMs < 8000, `${Date.now() - startedMs} ms`);
  });

  test('an object of five megabytes, as other servers may keep them, is shown, and the page stays awake', async () => {
    const { page, origin } = scene;
    await create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'huge' }, data: {} });
    const line = `${MARKUP}\n`;
    await page.route(/configmaps\?.*name%3Dhuge/, async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { items: { data?: object }[] };
      for (const item of list.items)
        item.data = { big: line.repeat(5_000_000 / line.length), flat: 'x'.repeat(1_000_000) };
      await route.fulfill({ response, json: list });
    });
    await page.goto(`${origin}/r/core/v1/configmaps/default/huge/yaml`);
    await page.getByText('name: huge').waitFor();
    const startedMs = Date.now();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.cm-line', { hasText: 'apiVersion' }).waitFor();
    for (const tab of ['Summary', 'YAML', 'Related']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
    }
    await demandUnharmed('huge');
    assert.ok(Date.now() - startedMs < 60_000, `${Date.now() - startedMs} ms`);
    await page.unrouteAll();
  });

  test('logs that want to steer the page or drown it are lines of text', async () => {
    const { page, origin } = scene;
    const flood = `${STEERING}${MARKUP}\u001b[31mred\u001b[0m\n${'y'.repeat(1_000_000)}\n${'\n'.repeat(5_000)}the end`;
    await page.routeWebSocket('**/streams', (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((message) => {
        const asked = JSON.parse(String(message)) as { readonly id: number; readonly open?: string };
        if (asked.open?.includes('/evil/log') !== true) return server.send(message);
        socket.send(JSON.stringify({ id: asked.id, status: 200 }));
        return socket.send(JSON.stringify({ id: asked.id, data: flood }));
      });
    });
    await page.goto(`${origin}/r/core/v1/pods/default/evil/logs`);
    await page.getByRole('log').getByText('the end').waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('red');
    await page.getByRole('log').getByText('gpj.exe').waitFor();
    await demandUnharmed('logs');
    assert.match((await page.getByRole('log').textContent()) ?? '', /<img src=x onerror=/);
  });

  test('of a story of five thousand hops a part is drawn, and more for who asks', async () => {
    const { page, origin } = scene;
    const items = Array.from({ length: 5000 }, (_, at) => ({
      ...{ apiVersion: 'trace.binnacle.dev/v1', kind: 'Hop', type: 'kubelet', component: 'kubelet node-0' },
      metadata: { name: `h${at}`, resourceVersion: String(at + 1), creationTimestamp: '2026-01-01T00:00:00Z' },
      ...{ title: `${at} ${MARKUP}`, atMs: 1_000_000 + at, durationMs: 1, cause: { type: 'client' } },
    }));
    const ring = {
      on: true,
      forgotten: { changes: 0, others: 0, deliveries: 0 },
      oldestRevision: '1',
      currentRevision: '9',
    };
    const list = {
      apiVersion: 'trace.binnacle.dev/v1',
      kind: 'HopList',
      ring,
      items,
    };
    const { promise: isLate, resolve: come } = Promise.withResolvers<void>();
    await page.route('**/hops?**', async (route) => {
      if (route.request().url().includes('watch=')) return route.continue();
      // Beyond its last number the server would take the page for one of an earlier process, and tell all that it knows.
      const told = (await (await route.fetch()).json()) as { readonly metadata: object };
      await isLate;
      await route.fulfill({ json: { ...list, metadata: told.metadata } });
    });
    await page.goto(`${origin}/r/core/v1/pods/default/evil/why`);
    await page.getByRole('button', { name: 'Download: SVG' }).waitFor();
    assert.equal(await page.getByText('Nothing here').count(), 0, 'what is not read yet is not told as none');
    come();
    const more = page.getByRole('button', { name: /more: show some of them/ });
    await more.waitFor();
    assert.match((await more.textContent()) ?? '', /4600/);
    const drawn = (): Promise<number> => page.locator('svg [role=button][aria-pressed]').count();
    assert.equal(await drawn(), 400);
    await page.locator('svg [role=button]').filter({ hasText: '4999 ' }).waitFor();
    await demandAccessible(scene, 'a long story');
    await more.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /3600 more/ }).waitFor();
    assert.equal(await drawn(), 1400);
    await demandUnharmed('a long story');
    await page.unroute('**/hops?**');
  });

  test('five thousand rows come, are filtered and scrolled to their end', async () => {
    const { page, origin } = scene;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'many-' } };
    for (let at = 0; at < 5000; at += 100) {
      await Promise.all(Array.from({ length: 100 }, () => create('configmaps', body)));
    }
    await page.goto(`${origin}/r/core/v1/configmaps?ns=default`);
    await page.getByText(/^500[0-9]$/).waitFor();
    const list = page.locator('[role=table]');
    await page.locator('[aria-rowindex="9"] a').focus();
    const held = await page.evaluate('document.activeElement.textContent');
    for (const top of [300, 900, 5000, 4100]) await list.evaluate((element, to) => element.scrollTo(0, to), top);
    // In the very frame after it was scrolled, in the middle of the list.
    const inSight = `new Promise((done) => {
      const list = document.querySelector('[role=table]');
      list.scrollTop = 77_000;
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const { left, top, height } = list.getBoundingClientRect();
        done(Number(document.elementFromPoint(left + 30, top + height / 2).closest('[role=row]')?.ariaRowIndex));
      }));
    })`;
    const shown = Number(await page.evaluate(inSight));
    assert.ok(shown > 2260 && shown < 2300, `row ${shown} is seen`);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.locator('[aria-rowindex="5001"]').waitFor();
    assert.ok((await page.locator('[role=row]').count()) < 100, 'only what is seen is drawn');
    // A row keeps the focus, and its neighbours, wherever the list is scrolled, and rows are in their order once a key goes down.
    assert.equal(await page.evaluate('document.activeElement.textContent'), held);
    await page.keyboard.press('Shift');
    const rows = await page
      .locator('[role=row]')
      .evaluateAll((all) => all.map(({ ariaRowIndex }) => Number(ariaRowIndex)));
    assert.deepEqual(
      rows,
      rows.toSorted((a, b) => a - b),
    );
    assert.deepEqual(rows.slice(0, 4), [1, 8, 9, 10]);
    await list.evaluate((element) => element.scrollTo(0, 0));
    await page.locator('[aria-rowindex="2"]').waitFor();
    await page.keyboard.press('Tab');
    const next = await page.evaluate("document.activeElement.closest('[role=row]').ariaRowIndex");
    assert.equal(next, '10', 'the next row has the focus next');
    await demandAccessible(scene, 'a long list that was scrolled');
    await page.getByRole('textbox', { name: 'Filter' }).fill('big');
    await page.getByText('1 / 5').waitFor();
    assert.deepEqual(scene.complaints, []);
  });
});
