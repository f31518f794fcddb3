/** Step and pause, as somebody does it in the browser while kubectl works. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

let scene: DashboardScene;

before(async () => {
  scene = await startScene(['--enable-pauses']);
  await enter(scene);
});

after(async () => {
  await scene?.stop();
});

async function createPod(name: string): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  await scene.wire.call({ verb: 'create', resource: PODS, namespace: 'default', body });
}

describe('step and pause in the browser', () => {
  test('the scheduler is held: pods wait, and it is seen what it is about to do', async () => {
    const { page } = scene;
    await page.getByRole('link', { name: 'Step and pause' }).click();
    await page.getByRole('button', { name: 'Hold: kube-scheduler' }).click();
    await page.getByText('It has nothing to do right now.').waitFor();
    for (const name of ['first', 'second']) await createPod(name);
    await page.getByText('schedule default/first').waitFor();
    await demandAccessible(scene, 'held');
    await page.goto(`${scene.origin}/r/core/v1/pods?ns=default`);
    await page.locator('[role=row]', { hasText: 'first' }).filter({ hasText: 'Pending' }).waitFor();
    await page.getByText('Held: kube-scheduler').click();
  });

  test('one step binds one pod, and says the command; the others wait; a double click is two, and then all goes on', async () => {
    const { page } = scene;
    await page.getByRole('button', { name: 'Step: kube-scheduler' }).click();
    await page.getByText('schedule default/second').waitFor();
    await page.getByText(/^kubectl patch pauses\.trace\.binnacle\.dev kube-scheduler --type=merge/).waitFor();
    await page.goto(`${scene.origin}/r/core/v1/pods?ns=default`);
    const row = (name: string) => page.locator('[role=row]', { hasText: name });
    await row('first').filter({ hasText: 'Running' }).waitFor();
    await row('second').filter({ hasText: 'Pending' }).waitFor();
    await page.goto(`${scene.origin}/pauses`);
    for (const name of ['third', 'fourth']) await createPod(name);
    await page.getByText('schedule default/second').waitFor();
    await page.getByRole('button', { name: 'Step: kube-scheduler' }).dblclick();
    await page.getByText('schedule default/fourth').waitFor();
    await page.getByRole('button', { name: 'Go on: kube-scheduler' }).click();
    await page.getByText('kubectl delete pauses.trace.binnacle.dev kube-scheduler').waitFor();
    await page.getByText('Held: kube-scheduler').waitFor({ state: 'detached' });
    await page.goto(`${scene.origin}/r/core/v1/pods?ns=default`);
    await row('fourth').filter({ hasText: 'Running' }).waitFor();
    assert.deepEqual(scene.complaints, []);
  });
});
