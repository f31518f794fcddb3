/** Who looks at the dashboard: nobody yet, one after another, who may only read, and people of another Kubernetes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Wire } from '@binnacle/machinery';
import { startBinnacle } from '@binnacle/testkit';
import type { Page } from 'playwright-core';
import { demandAccessible, demandPeace, enter, lookAt, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
const CRON_JOBS = { group: 'batch', version: 'v1', resource: 'cronjobs' };
const POD_SPEC = { containers: [{ name: 'c', image: 'nginx', ports: [{ containerPort: 80 }] }] };

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  const metadata = { name: 'web', labels: { app: 'web' } };
  await create('pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec: POD_SPEC });
  await create('secrets', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'hidden' },
    data: { a: 'aHVudGVyMg==' },
  });
});

after(async () => {
  await scene?.stop();
});

const create = (resource: string, body: object): Promise<unknown> =>
  scene.wire.call({ verb: 'create', resource: core(resource), namespace: 'default', body });

/** A token of a new service account with a ClusterRole everywhere. */
async function tokenWith(wire: Wire, name: string, role: string): Promise<string> {
  await create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  await wire.call({
    ...{ verb: 'create', resource: { ...RBAC, resource: 'clusterrolebindings' } },
    body: {
      ...{ apiVersion: `${RBAC.group}/v1`, kind: 'ClusterRoleBinding', metadata: { name } },
      roleRef: { apiGroup: RBAC.group, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    },
  });
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const review = (await wire.call({
    ...{ verb: 'create', resource: core('serviceaccounts'), namespace: 'default', name, subresource: 'token' },
    body: asked,
  })) as { readonly status: { readonly token: string } };
  return review.status.token;
}

async function logIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').last().fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Log out' }).waitFor();
}

/** As any Kubernetes answers: without the groups that only this one has. `asked`: who asks for them all the same. */
async function hideOwnGroups(page: Page, asked: string[]): Promise<void> {
  await page.route('**/apis', async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { items: { readonly metadata: { readonly name: string } }[] };
    list.items = list.items.filter(({ metadata }) => !metadata.name.endsWith('binnacle.dev'));
    await route.fulfill({ response, json: list });
  });
  await page.route('**/*.binnacle.dev/**', async (route) => {
    asked.push(route.request().url());
    await route.fulfill({ status: 404, body: 'not found' });
  });
}

const row = (page: Page, text: string) => page.locator('[role=row]', { hasText: text });

describe('who looks at the dashboard', () => {
  test('nobody yet: both ways to log in can be used by everybody, refused or not, in both languages and in the dark', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/r/core/v1/pods`);
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await demandAccessible(scene, 'login');
    await page.getByLabel('Token').last().fill('of nobody');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').waitFor();
    await demandAccessible(scene, 'refused');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate('localStorage.setItem("language", "ko")');
    await page.reload();
    await page.getByRole('tab', { name: 'kubeconfig' }).click();
    await demandAccessible(scene, 'kubeconfig');
    await page.getByLabel('kubeconfig').last().fill('users: [{name: a, user: {exec: {command: id}}}]');
    await page.locator('form button[type=submit]:visible').click();
    await page.getByRole('alert').waitFor();
    await demandAccessible(scene, 'refused kubeconfig');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate('localStorage.clear()');
    // The browser tells of what was refused.
    scene.complaints.length = 0;
  });

  test('a server that is lost while somebody logs in is said to be', async () => {
    const { page, origin } = scene;
    await page.goto(origin);
    await page.route('**/session', (route) => route.fulfill({ status: 502, body: 'bad gateway' }));
    await page.getByLabel('Token').last().fill('x');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').filter({ hasText: '502' }).waitFor();
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.unroute('**/session');
    scene.complaints.length = 0;
  });

  test('one after another in the same tab: each with what is his, live, and nothing of who was there before', async () => {
    const { page, origin, wire } = scene;
    await enter(scene);
    await page.goto(`${origin}/r/core/v1/pods/default/web`);
    await page.getByRole('button', { name: 'Delete' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await logIn(page, await tokenWith(wire, 'reader', 'view'));
    await page.getByRole('link', { name: 'Pod', exact: true }).first().click();
    await row(page, 'web').locator('a').click();
    await page.getByRole('tab', { name: 'Logs' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
    await page.getByRole('link', { name: 'Pod', exact: true }).first().click();
    await create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'later' }, spec: POD_SPEC });
    await row(page, 'later').filter({ hasText: 'Running' }).waitFor();
  });

  test('what somebody writes outlives his session, for him alone', async () => {
    const page = await scene.newPage();
    const [mine, others] = [
      await tokenWith(scene.wire, 'writer', 'cluster-admin'),
      await tokenWith(scene.wire, 'other', 'cluster-admin'),
    ];
    const draft = page.locator('.cm-line', { hasText: '# half done' });
    const loseSession = async (): Promise<void> => {
      const secret = String(await page.evaluate('sessionStorage.getItem("session")'));
      await fetch(`${scene.origin}/session`, { method: 'DELETE', headers: { authorization: `Bearer ${secret}` } });
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByText('This session is over').waitFor();
      await draft.waitFor({ state: 'hidden' });
    };
    await page.goto(`${scene.origin}/r/core/v1/pods/default/web/yaml`);
    await logIn(page, mine);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# half done\n');
    await loseSession();
    await logIn(page, mine);
    await draft.waitFor();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByRole('button', { name: 'Apply', disabled: false }).waitFor();
    await loseSession();
    await logIn(page, others);
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    assert.equal(await draft.count(), 0);
    await page.close();
  });

  test('who may only read sees what he may, and is offered nothing else', async () => {
    const { page, origin } = scene;
    const pod = `${origin}/r/core/v1/pods/default/web`;
    await page.goto(`${pod}/yaml`);
    await page.getByText('image: nginx').first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Edit' }).isDisabled(), true);
    const tabs = ['Summary', 'Why', 'YAML', 'History', 'Events', 'Related', 'Logs'];
    assert.deepEqual(await page.getByRole('tab').allTextContents(), tabs);
    for (const name of ['Delete', 'Scale', 'Create'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    await page.getByRole('tab', { name: 'Summary' }).click();
    await page.getByRole('table', { name: 'Containers' }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Ports' }).count(), 0);
    for (const kind of ['core/v1/secrets', 'core/v1/nodes', 'rbac.authorization.k8s.io/v1/clusterroles']) {
      await page.goto(`${origin}/r/${kind}`);
      await page.getByText('You may not list these').waitFor();
      await demandAccessible(scene, kind);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('hidden');
    await page.getByRole('status').filter({ hasText: 'Nothing here' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // The browser tells of each refusal.
    scene.complaints.length = 0;
  });

  test('who may not see the trace is not offered what needs it, and nothing of it is asked for', async () => {
    const { page, origin, wire } = scene;
    const rules = [{ apiGroups: [''], resources: ['pods', 'pods/log', 'namespaces'], verbs: ['get', 'list', 'watch'] }];
    await wire.call({
      ...{ verb: 'create', resource: { ...RBAC, resource: 'clusterroles' } },
      body: { apiVersion: `${RBAC.group}/v1`, kind: 'ClusterRole', metadata: { name: 'pods-only' }, rules },
    });
    await page.getByRole('button', { name: 'Log out' }).click();
    await logIn(page, await tokenWith(wire, 'pods-only', 'pods-only'));
    await page.goto(`${origin}/r/core/v1/pods?ns=default`);
    await row(page, 'web').locator('a').click();
    await page.getByRole('tab', { name: 'Why' }).waitFor({ state: 'detached' });
    assert.deepEqual(await page.getByRole('tab').allTextContents(), ['Summary', 'YAML', 'Events', 'Related', 'Logs']);
    await page.getByRole('button', { name: 'Time', exact: true }).waitFor({ state: 'detached' });
    // Of kinds that he may not list here the menu has none.
    const menu = page.getByRole('navigation', { name: 'Kinds' });
    for (const group of ['Configuration', 'Access']) {
      await menu.getByRole('button', { name: group }).waitFor({ state: 'detached' });
    }
    await menu.getByRole('link', { name: 'Pod', exact: true }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('trace.binnacle.dev')) asked.push(request.url());
    });
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByText('image: nginx').first().waitFor();
    assert.deepEqual(asked, []);
    // The browser tells of each refusal.
    scene.complaints.length = 0;
  });

  test('people of another Kubernetes have everything but what only this one tells', async () => {
    const served = await startBinnacle(['dashboard', '--kubeconfig', scene.kubeconfig, '--output', 'json']);
    const sight = await lookAt(served.ready.url ?? '');
    const { page, origin } = sight;
    const asked: string[] = [];
    try {
      await hideOwnGroups(page, asked);
      await enter(sight);
      for (const name of ['Step and pause', 'Time'])
        assert.equal(await page.getByText(name, { exact: true }).count(), 0);
      await page.getByText('3 / 3').waitFor();
      await page.goto(`${origin}/r/core/v1/pods?ns=default&labels=app%3Dweb&wide=true`);
      await row(page, 'web').filter({ hasText: 'node-' }).waitFor();
      await row(page, 'web').locator('a').click();
      const tabs = ['Summary', 'YAML', 'Events', 'Related', 'Logs', 'Terminal'];
      assert.deepEqual(await page.getByRole('tab').allTextContents(), tabs);
      for (const name of tabs) {
        await page.getByRole('tab', { name }).click();
        await page.getByRole('tabpanel', { name }).locator('*').first().waitFor();
        await page.waitForLoadState('networkidle');
      }
      await page.goto(`${origin}/r/core/v1/pods/default/web/why`);
      await page.getByRole('tab', { name: 'Summary', selected: true }).waitFor();
      for (const path of ['/topology', '/lessons', '/new/core/v1/pods', '/r/core/v1/nodes/-/node-0']) {
        await page.goto(origin + path);
        await page.waitForLoadState('networkidle');
        await demandAccessible(sight, path);
      }
      assert.deepEqual([sight.complaints, asked], [[], []]);
      demandPeace(sight);
    } finally {
      await sight.browser.close();
      await served.stop();
    }
  });

  test('a CronJob is run now: its Job is there, and says that somebody did it', async () => {
    const { page, origin, wire } = scene;
    await page.getByRole('button', { name: 'Log out' }).click();
    await logIn(page, await tokenWith(wire, 'admin', 'cluster-admin'));
    const template = {
      metadata: { annotations: { from: 'template' } },
      spec: { template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } },
    };
    const spec = { schedule: '0 0 1 1 *', jobTemplate: template };
    const body = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'yearly' }, spec };
    await wire.call({ verb: 'create', resource: CRON_JOBS, namespace: 'default', body });
    await page.goto(`${origin}/r/batch/v1/cronjobs/default/yearly`);
    await page.getByRole('button', { name: 'Trigger' }).click();
    await page.getByText('kubectl create job yearly-manual --from=cronjob/yearly -n default').waitFor();
    await demandAccessible(scene, 'trigger');
    await page.getByRole('dialog').getByRole('button', { name: 'Trigger' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto(`${origin}/r/batch/v1/jobs?ns=default`);
    await row(page, 'yearly-').locator('a').click();
    for (const told of [/^cronjob.kubernetes.io\/instantiate manual/, /^from template/])
      await page.getByRole('row', { name: told }).waitFor();
    await page.getByRole('tab', { name: 'Related' }).click();
    await page.getByRole('link', { name: 'CronJob yearly' }).waitFor();
    await page.getByRole('link', { name: /^Pod yearly-/ }).waitFor();
    // The family of the first of them goes down to the pod.
    await page.goto(`${origin}/r/batch/v1/cronjobs/default/yearly/related`);
    await page.getByRole('link', { name: /^Job yearly-/ }).waitFor();
    await page.getByRole('link', { name: /^Pod yearly-/ }).waitFor();
    assert.deepEqual(scene.complaints, []);
  });
});
