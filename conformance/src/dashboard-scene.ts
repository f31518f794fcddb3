/** A cluster of simulated nodes, its dashboard, and a real browser that looks at it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { Wire } from '@binnacle/machinery';
import { makeFolder, startBinnacle } from '@binnacle/testkit';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

const BROWSER = '/usr/bin/chromium';
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** How the browser begins when a page wants what its policy forbids. */
const POLICY = /Content Security Policy/;
const RULES = 'axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })';

/** What a test works with. */
export interface DashboardScene extends DashboardSight {
  /** As cluster-admin. */
  readonly wire: Wire;
  readonly kubeconfig: string;
  /** Throws where the page's policy was violated. */
  stop(): Promise<void>;
}

/** A browser that looks at a dashboard. */
export interface DashboardSight {
  readonly browser: Browser;
  readonly page: Page;
  /** Logs cluster-admin in, once. */
  readonly link: string;
  readonly origin: string;
  /** What the browser's console complained of. */
  readonly complaints: string[];
  /** What the page's policy let nobody do. */
  readonly violations: string[];
  /** What a page threw and nobody caught. */
  readonly errors: string[];
  /** One more page, of somebody else; it may complain. */
  newPage(): Promise<Page>;
}

/** Starts all of it; `args` are further flags of `binnacle up`. */
export async function startScene(args: readonly string[] = []): Promise<DashboardScene> {
  const folder = makeFolder();
  const kubeconfig = join(folder.path, 'kubeconfig');
  const up = await startBinnacle([
    ...['up', '--runtime', 'simulated', '--nodes', '3', '--store', 'memory', '--output', 'json'],
    ...['--listen', '127.0.0.1:0', '--data-dir', join(folder.path, 'data'), '--kubeconfig', kubeconfig],
    ...args,
  ]);
  const wire = createHttpWire((await loadKubeconfig(kubeconfig)).wire);
  const sight = await lookAt(up.ready.dashboard ?? '');
  return {
    ...{ ...sight, wire, kubeconfig },
    async stop() {
      await sight.browser.close();
      await wire.close();
      await up.stop();
      folder.remove();
      demandPeace(sight);
    },
  };
}

/** No page did what its policy forbids, and none threw what nobody caught. */
export function demandPeace({ violations, errors }: DashboardSight): void {
  assert.deepEqual(violations, [], "the page's policy is kept");
  assert.deepEqual(errors, [], 'no page threw');
}

/** A browser with a page on which nobody has logged in yet. */
export async function lookAt(link: string): Promise<DashboardSight> {
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  const [complaints, violations, errors]: [string[], string[], string[]] = [[], [], []];
  const newPage = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.setDefaultTimeout(30_000);
    page.on('console', (message) => {
      if (message.type() === 'error' && POLICY.test(message.text())) violations.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
    return page;
  };
  const page = await newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { browser, page, link, origin: new URL(link).origin, complaints, violations, errors, newPage };
}

/** Logs in by the link. */
export async function enter({ page, link }: DashboardSight): Promise<void> {
  await page.goto(link);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Asks axe what of the page keeps people out (WCAG 2.2 AA). */
export async function demandAccessible({ page }: Pick<DashboardSight, 'page'>, what: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  // The page's own policy lets no script in: the inspector comes through the debugger.
  await page.evaluate(AXE);
  const found = (await page.evaluate(RULES)) as {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  };
  const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  assert.deepEqual(told, [], what);
}
