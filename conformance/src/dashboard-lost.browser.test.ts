/** Connections that break: of everything that the page asks the first try is lost, and it comes whole all the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { after, before, describe, test } from 'node:test';
import type { Route } from 'playwright-core';
import { enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };

let scene: DashboardScene;

before(async () => {
  scene = await startScene();
});

after(async () => {
  await scene?.stop();
});

async function createPod(name: string): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
  await scene.wire.call({ verb: 'create', resource: PODS, namespace: 'default', body });
}

const row = (name: string) => scene.page.locator('[role=row]', { hasText: name });

describe('the dashboard over connections that break', () => {
  test('what is lost once is asked again: the page, its parts, the login, lists and stories', async () => {
    const { page, origin } = scene;
    const lost = new Set<string>();
    const lose = async (route: Route): Promise<void> => {
      const { pathname } = new URL(route.request().url());
      if (lost.has(pathname) || route.request().isNavigationRequest()) return route.continue();
      lost.add(pathname);
      return route.abort('connectionfailed');
    };
    await page.route('**/*', lose);
    await enter(scene);
    await page.getByText('3 / 3').waitFor();
    await createPod('first');
    await page.getByRole('link', { name: 'Pod', exact: true }).click();
    await row('first').filter({ hasText: 'Running' }).waitFor();
    await row('first').locator('a').click();
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.locator('svg tspan[data-step]').first().waitFor();
    for (const path of ['/api/v1/pods', '/session', '/apis/trace.binnacle.dev/v1/namespaces/default/hops'])
      assert.ok(lost.has(path), path);
    assert.ok([...lost].filter((path) => path.startsWith('/assets/')).length > 10);
    await page.unroute('**/*', lose);
    assert.equal(page.url(), `${origin}/r/core/v1/pods/default/first/why`);
  });

  test('streams that break off are opened anew: the list and the story go on by themselves', async () => {
    const { page, origin } = scene;
    const cut: (() => Promise<void>)[] = [];
    await page.routeWebSocket('**/streams', (socket) => {
      const server = socket.connectToServer();
      cut.push(async () => {
        await server.close();
        await socket.close();
      });
    });
    await page.goto(`${origin}/r/core/v1/pods`);
    await page.getByText('Live').waitFor();
    await Promise.all(cut.splice(0).map((one) => one()));
    await createPod('second');
    await row('second').filter({ hasText: 'Running' }).waitFor();
    await row('second').locator('a').click();
    await page.getByRole('tab', { name: 'Why' }).click();
    await page
      .getByRole('button', { name: /start container/ })
      .first()
      .waitFor();
    await Promise.all(cut.splice(0).map((one) => one()));
    await scene.wire.call({
      ...{ verb: 'patch', resource: PODS, namespace: 'default', name: 'second', patch: 'merge' },
      body: { metadata: { labels: { seen: 'true' } } },
    });
    await page.getByRole('button', { name: /^client → apiserver: .*PATCH .*pods.second/ }).waitFor();
  });

  const isOwnNetwork = Object.keys(networkInterfaces()).join() === 'lo';
  const skip = isOwnNetwork ? false : 'needs a network of its own: npm run browser as root makes one';
  test('addresses of the machine come and go while pages are opened', { skip }, async () => {
    const { page, origin } = scene;
    const ip = (...words: readonly string[]): void => void execFileSync('ip', words);
    for (const path of ['/', '/topology', '/r/core/v1/pods', '/r/core/v1/pods/default/first/why']) {
      const opening = page.goto(origin + path, { waitUntil: 'commit' });
      for (let times = 0; times < 10; times++) {
        ip('link', 'add', 'passing', 'type', 'veth', 'peer', 'name', 'passing-peer');
        ip('address', 'add', '198.51.100.1/24', 'dev', 'passing');
        ip('link', 'set', 'passing', 'up');
        ip('link', 'delete', 'passing');
      }
      await opening;
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('cannot be shown').waitFor({ state: 'detached' });
    }
    await page.locator('svg tspan[data-step]').first().waitFor();
  });
});
