/** The pages that show the cluster as a whole, in a wide and in a narrow window. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const core = (resource: string) => ({ group: '', version: 'v1', resource });
const POLICIES = { group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies' };

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
  await enter(scene);
});

after(async () => {
  await scene?.stop();
});

function create(resource: { readonly resource: string }, body: object): Promise<unknown> {
  return scene.wire.call({ verb: 'create', resource: { ...core(''), ...resource }, namespace: 'default', body });
}

async function createServed(): Promise<void> {
  const requests = { cpu: '500m', memory: '256Mi' };
  const spec = { containers: [{ name: 'c', image: 'nginx', resources: { requests } }] };
  const rc = { replicas: 2, selector: { app: 'web' }, template: { metadata: { labels: { app: 'web' } }, spec } };
  const metadata = { name: 'web' };
  await create(core('replicationcontrollers'), { apiVersion: 'v1', kind: 'ReplicationController', metadata, spec: rc });
  const service = { selector: { app: 'web' }, ports: [{ port: 80 }] };
  await create(core('services'), { apiVersion: 'v1', kind: 'Service', metadata, spec: service });
  await create(POLICIES, {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'guard' } },
    spec: { podSelector: {}, policyTypes: ['Ingress'] },
  });
  const huge = { containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '900' } } }] };
  await create(core('pods'), { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'huge' }, spec: huge });
}

describe('the cluster as a whole in the browser', () => {
  test('the overview tells what is asked of nodes, pods by phase and what components warn of, live', async () => {
    const { page, origin } = scene;
    await page.goto(`${origin}/`);
    await page.getByText('3 / 3').waitFor();
    await createServed();
    await page.getByText('Running 2').waitFor();
    await page.getByText('Pending 1').waitFor();
    await page.getByRole('region', { name: 'CPU' }).getByText('1 / 24').waitFor();
    await page.getByRole('row', { name: /Pod default\/huge FailedScheduling/ }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^default\/web-.*: Running$/ }).count(), 2);
    await demandAccessible(scene, 'overview');
  });

  test('the topology leads from a Service over its slice and pods to nodes', async () => {
    const { page, origin } = scene;
    await page.getByRole('link', { name: 'Topology' }).click();
    await page.getByRole('link', { name: / EndpointSlice · 2 \/ 2, default\/web-/ }).waitFor();
    assert.equal(await page.locator('path[data-kind=serves]').count(), 3 + 0);
    assert.equal(await page.locator('path[data-kind=guards]').count(), 3);
    await page.getByRole('link', { name: /^web Service / }).focus();
    await page.locator('[data-dim=true]', { hasText: 'huge' }).waitFor();
    await demandAccessible(scene, 'topology');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/r/core/v1/services/default/web`);
  });

  test('nothing is wider than a small window but what scrolls by itself', async () => {
    const { page, origin } = scene;
    await page.setViewportSize({ width: 360, height: 740 });
    const paths = ['/', '/topology', '/pauses', '/r/core/v1/pods', '/r/core/v1/services/default/web'];
    for (const path of [...paths, '/r/core/v1/services/default/web/why', '/r/core/v1/services/default/web/history']) {
      await page.goto(origin + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, path);
    }
    await page.goto(`${origin}/r/core/v1/services/default/web/why`);
    const words = page.locator('svg [role=button] text').first();
    await words.waitFor();
    assert.ok(((await words.boundingBox())?.x ?? 360) < 40, 'what an arrow is stands under it');
    await demandAccessible(scene, 'why, 360 px');
    await page.setViewportSize({ width: 3840, height: 2160 });
    await page.goto(`${origin}/`);
    await demandAccessible(scene, '4K');
    assert.deepEqual(scene.complaints, []);
  });

  test('every page can be read in the dark, and in Korean', async () => {
    const { page, origin } = scene;
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate('localStorage.setItem("language", "ko")');
    const service = '/r/core/v1/services/default/web';
    const tabs = ['', '/yaml', '/why', '/history', '/events', '/related'].map((tab) => service + tab);
    const places = ['/', '/topology?ns=default', '/pauses', '/lessons', '/lessons/two-schedulers', '/new/core/v1/pods'];
    for (const path of [...places, '/r/core/v1/pods', '/r/core/v1/pods?ns=default&at=1', ...tabs]) {
      await page.goto(origin + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await demandAccessible(scene, path);
    }
    assert.equal(await page.evaluate('document.documentElement.lang'), 'ko');
    // The browser tells of the moment that is compacted.
    scene.complaints.length = 0;
  });
});
