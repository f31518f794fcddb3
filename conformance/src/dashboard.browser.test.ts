/** The dashboard in a real browser, on a cluster of simulated nodes: what people do with it, from the link on. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const core = (resource: string) => ({ group: '', version: 'v1', resource });

let scene: DashboardScene;
let wire: DashboardScene['wire'];
let page: DashboardScene['page'];
let complaints: string[];

before(async () => {
  scene = await startScene();
  ({ wire, page, complaints } = scene);
});

after(async () => {
  await scene?.stop();
});

const origin = (): string => scene.origin;

function create(resource: string, body: object): Promise<unknown> {
  return wire.call({ verb: 'create', resource: core(resource), namespace: 'default', body });
}

async function createController(name: string): Promise<string> {
  await create('replicationcontrollers', {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas: 1,
      selector: { app: name },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
    },
  });
  const row = page
    .locator('[role=row]', { hasText: `${name}-` })
    .locator('a')
    .first();
  await row.waitFor();
  return (await row.textContent()) ?? '';
}

describe('the dashboard in a browser', () => {
  test('the link logs in, once, and is in no address any more', async () => {
    const { link } = scene;
    await page.goto(link);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.equal(page.url().includes('code='), false);
    const second = await scene.newPage();
    await second.goto(link);
    await second.getByRole('alert').waitFor();
    await second.close();
    complaints.length = 0;
  });

  test('a pod comes into the list as it is made, and its page tells why it runs, in the order of the story', async () => {
    await page.goto(`${origin()}/r/core/v1/pods`);
    const pod = await createController('frontend');
    await page.locator('[role=row]', { hasText: 'Running' }).first().waitFor();
    await page.getByRole('link', { name: pod }).click();
    await page.getByRole('tab', { name: 'Why' }).click();
    const steps = page.locator('svg tspan[data-step]');
    await page.locator('svg tspan[data-step="11"]').waitFor();
    assert.deepEqual(
      await steps.allTextContents(),
      Array.from({ length: 11 }, (_, at) => `${at + 1}. `),
    );
    await page
      .locator('svg [role=button]')
      .filter({ has: page.locator('[data-step="5"]') })
      .click();
    await page.getByText('+ kind: Pod').waitFor();
  });

  test('every tab of a pod shows something, and the page complains of nothing', async () => {
    for (const tab of ['Summary', 'YAML', 'Events', 'Related', 'Logs']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel', { name: tab }).locator('*').first().waitFor();
    }
    await page.getByRole('tab', { name: 'Related' }).click();
    await page.getByRole('link', { name: 'ReplicationController frontend' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('a shell answers', async () => {
    await page.getByRole('tab', { name: 'Terminal' }).click();
    await page.locator('.xterm-screen').click();
    await page.keyboard.type('echo dash-$((1+1))board\n');
    await page.locator('.xterm-accessibility', { hasText: 'board' }).waitFor({ state: 'attached' });
    assert.deepEqual(complaints, []);
  });

  test('scaling says the command, and is seen', async () => {
    await page.goto(`${origin()}/r/core/v1/replicationcontrollers/default/frontend`);
    await page.getByRole('button', { name: 'Scale' }).click();
    await page.getByLabel('Replicas').fill('3');
    await page.getByText('kubectl scale replicationcontrollers/frontend -n default --replicas=3').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Scale' }).click();
    await page
      .getByRole('row', { name: /^replicas 3/ })
      .first()
      .waitFor();
  });

  test('a change is tried on the server and shown as what would differ before it is applied', async () => {
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.cm-line', { hasText: 'replicas: 3' }).first().click();
    for (const key of ['End', 'Backspace', '2']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('+   replicas: 2').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('tab', { name: 'Summary' }).click();
    await page
      .getByRole('row', { name: /^replicas 2/ })
      .first()
      .waitFor();
  });

  test('axe finds nothing on the list and on every tab', async () => {
    const pods = (await wire.call({ verb: 'list', resource: core('pods'), namespace: 'default' })) as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    const name = pods.items[0]?.metadata.name ?? '';
    const pod = `/r/core/v1/pods/default/${name}`;
    const tabs = ['', '/why', '/yaml', '/events', '/related', '/logs', '/history'].map((tab) => pod + tab);
    for (const path of ['/r/core/v1/pods', ...tabs]) {
      await page.goto(origin() + path);
      await page.waitForLoadState('networkidle');
      await demandAccessible(scene, path);
    }
    await page.goto(`${origin()}${pod}/terminal`);
    await page.locator('.xterm-screen').waitFor();
    await demandAccessible(scene, 'terminal');
  });

  test('who uses no mouse comes out of the terminal again', async () => {
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.press('Tab');
    await page.locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });
    await page.keyboard.press('Control+F6');
    await page.locator('[role=tab]:focus', { hasText: 'Terminal' }).waitFor();
  });

  test('who may only look is offered nothing else', async () => {
    await create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'viewer' } });
    await wire.call({
      verb: 'create',
      resource: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterrolebindings' },
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'viewer' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ kind: 'ServiceAccount', name: 'viewer', namespace: 'default' }],
      },
    });
    const review = (await wire.call({
      verb: 'create',
      resource: core('serviceaccounts'),
      namespace: 'default',
      name: 'viewer',
      subresource: 'token',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    })) as { readonly status: { readonly token: string } };
    const viewer = await scene.newPage();
    await viewer.goto(origin());
    await viewer.getByLabel('Token').last().fill(review.status.token);
    await viewer.getByRole('button', { name: 'Log in' }).click();
    await viewer.getByRole('heading', { name: 'Overview' }).waitFor();
    await viewer.getByText('You may not list these: Nodes').waitFor();
    assert.equal(await viewer.getByRole('alert').filter({ hasText: 'forbidden' }).count(), 0);
    await viewer.goto(`${origin()}/r/core/v1/pods`);
    const first = viewer.locator('[role=row] a').first();
    await first.waitFor();
    await first.click();
    await viewer.getByRole('tab', { name: 'Logs' }).waitFor();
    await viewer.getByRole('tab', { name: 'Terminal' }).waitFor({ state: 'detached' });
    assert.equal(await viewer.getByRole('button', { name: 'Delete' }).count(), 0);
    await viewer.close();
  });

  test('names and labels with markup in them are text', async () => {
    await create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'markup', annotations: { a: '<img src=x onerror=alert(1)>' } },
      data: { a: '<script>alert(1)</script>' },
    });
    await page.goto(`${origin()}/r/core/v1/configmaps/default/markup/yaml`);
    await page.getByText('<script>alert(1)</script>').waitFor();
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(complaints, []);
  });

  test('a port of a pod is opened on an origin of its own, which knows nothing of the session', async () => {
    await page.goto(`${origin()}/r/core/v1/pods?ns=default`);
    await page.locator('[role=row] a').first().click();
    await page.getByLabel('Another port').fill('8080');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    const link = page.getByRole('link', { name: /^http:/ });
    const url = new URL((await link.getAttribute('href')) ?? '');
    assert.match(url.host, /^[0-9a-f]{16}\.localhost:\d+$/);
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.waitForLoadState();
    assert.equal(opened.url(), url.href);
    assert.equal(
      await opened.evaluate('opener === null && sessionStorage.length === 0 && document.cookie === ""'),
      true,
    );
    await opened.close();
    await demandAccessible(scene, 'ports');
    await page.getByRole('button', { name: 'Close: 8080' }).click();
    await link.waitFor({ state: 'detached' });
    assert.deepEqual(complaints, []);
  });

  test('the page lets nobody in, and whoever tries is seen here', async () => {
    const tries = [
      [
        `document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }))`,
        /script/,
      ],
      [`fetch('http://127.0.0.1:1/').catch(() => undefined)`, /connect/i],
    ] as const;
    for (const [attempt, told] of tries) {
      await Promise.all([
        page.waitForEvent('console', (message) => message.type() === 'error' && told.test(message.text())),
        page.evaluate(attempt),
      ]);
    }
    assert.match(await page.title(), /(^| · )Binnacle$/);
    assert.ok(scene.violations.splice(0).length >= tries.length);
    complaints.length = 0;
  });

  test('who logs out is asked who he is', async () => {
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
  });
});
