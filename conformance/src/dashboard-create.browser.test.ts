/** New objects in the browser: by a form, by YAML that completes itself, tried before they are made. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  await enter(scene);
});

after(async () => {
  await scene?.stop();
});

describe('creating in the browser', () => {
  test('a Deployment by its form: tried, made, running', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/r/apps/v1/deployments?ns=default`);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByLabel('spec.replicas').fill('2');
    await page.getByLabel('spec.template.spec.containers.0.image').fill('nginx:2');
    await page.locator('.cm-line', { hasText: 'image: nginx:2' }).waitFor();
    await demandAccessible(scene, 'create');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('The server would make it.').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.waitForURL(/deployments\/default\/example$/);
    await page.getByRole('row', { name: /^availableReplicas 2/ }).waitFor();
  });

  test('the kinds that most people make are accepted as they are offered', async () => {
    const { page, origin } = scene;
    const kinds = [
      ...[
        'core/v1/pods',
        'core/v1/services',
        'core/v1/configmaps',
        'core/v1/persistentvolumeclaims',
        'core/v1/namespaces',
      ],
      ...['core/v1/replicationcontrollers', 'core/v1/serviceaccounts', 'core/v1/secrets', 'apps/v1/statefulsets'],
      ...[
        'apps/v1/daemonsets',
        'apps/v1/replicasets',
        'batch/v1/jobs',
        'batch/v1/cronjobs',
        'networking.k8s.io/v1/networkpolicies',
      ],
    ];
    const refused: string[] = [];
    for (const kind of kinds) {
      await page.goto(`${origin}/new/${kind}?ns=default`);
      await page.locator('.cm-line', { hasText: 'name: example' }).first().waitFor();
      await page.waitForLoadState('networkidle');
      await page.getByRole('button', { name: 'Try' }).click();
      const answer = page.locator('[role=alert], [role=status]').first();
      await answer.waitFor();
      const told = await answer.textContent();
      if (told !== 'The server would make it.') refused.push(`${kind}: ${told}`);
    }
    assert.deepEqual(refused, []);
    // The browser tells of what the server refuses.
    scene.complaints.length = 0;
  });

  test('several objects at once: each is tried, then made in its order, each with its own result', async () => {
    const { page, origin } = scene;
    const several = [
      'apiVersion: v1\nkind: Namespace\nmetadata: {name: team}',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: team}\ndata: {a: "1"}',
      'apiVersion: apps/v9\nkind: Foo\nmetadata: {name: none}',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: made-}',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: no-containers}\nspec: {containers: []}',
    ].join('\n---\n');
    await page.goto(`${origin}/new/core/v1/configmaps?ns=default`);
    await page.locator('.cm-line', { hasText: 'name: example' }).first().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(several);
    await page.getByText('The form is for one object').waitFor();
    await page.getByRole('button', { name: 'Try' }).click();
    // What is made in a namespace that is only tried finds none.
    await page.getByText('The server would make: 2 / 5').waitFor();
    const results = page.getByRole('region', { name: 'Results' });
    assert.equal(await results.getByRole('link').count(), 0);
    await demandAccessible(scene, 'several tried');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Made: 3 / 5').waitFor();
    const told = await results.getByRole('listitem').allTextContents();
    assert.match(told[0] ?? '', /^namespaces\/team/);
    assert.match(told[2] ?? '', /no matches for kind "Foo" in version "apps\/v9"/);
    assert.match(told[3] ?? '', /^configmaps\/made-\w{5}/);
    assert.match(told[4] ?? '', /pods\/no-containers.*spec.containers: Required value/);
    await demandAccessible(scene, 'several made');
    await results.getByRole('link', { name: 'configmaps/settings' }).click();
    await page.waitForURL(/configmaps\/team\/settings$/);
    // The browser tells of what the server refuses.
    scene.complaints.length = 0;
  });

  test('the editor completes keys and values by the schema, and explains them', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/new/core/v1/pods?ns=default`);
    await page.locator('.cm-line', { hasText: 'containers:' }).click();
    await page.keyboard.press('Home');
    await page.keyboard.type('  hostNet');
    await page.getByRole('option', { name: /hostNetwork/ }).click();
    await page.keyboard.type('tr');
    await page.getByRole('option', { name: 'true' }).click();
    await page.keyboard.press('Enter');
    await page.locator('.cm-line', { hasText: 'hostNetwork: true' }).waitFor();
    await page.locator('.cm-line', { hasText: 'metadata:' }).locator('span').first().hover();
    await page.locator('.cm-tooltip-hover', { hasText: 'metadata' }).waitFor();
    // The browser would join the lines with styles that the page's policy forbids.
    await page.keyboard.press('Control+a');
    await page.keyboard.type('kind');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('apiVersion: v1\nkind: Pod');
    assert.equal(await page.locator('.cm-content').textContent(), 'apiVersion: v1kind: Pod');
    await page.keyboard.press('Control+z');
    await page.locator('.cm-line', { hasText: /^kind$/ }).waitFor();
    assert.deepEqual(scene.complaints, []);
  });
});
