import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpWire, loadKubeconfig } from '@binnacle/client/node';
import type { Wire } from '@binnacle/machinery';
import { FRAME_CATEGORIES, frameWork, makeFolder, percentile, startBinnacle } from '@binnacle/testkit';
import type { BrowserTraceEvent } from '@binnacle/testkit';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { atMost } from '../row.ts';
import type { Measurement, Row } from '../row.ts';

const BROWSER = '/usr/bin/chromium';
const PODS = { group: '', version: 'v1', resource: 'pods' };
const PODS_MANY = 10_000;
const AT_ONCE = 50;
const FRAMES = 300;

/** The dashboard in Chromium: how soon it is there, and what ten thousand pods cost its tab. */
export const dashboard: Measurement = {
  name: 'dashboard',
  async run() {
    const folder = makeFolder();
    const kubeconfig = join(folder.path, 'kubeconfig');
    const up = await startBinnacle([
      ...['up', '--runtime', 'simulated', '--nodes', '3', '--store', 'memory', '--output', 'json'],
      ...['--listen', '127.0.0.1:0', '--data-dir', join(folder.path, 'data'), '--kubeconfig', kubeconfig],
    ]);
    const wire = createHttpWire((await loadKubeconfig(kubeconfig)).wire);
    const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
    try {
      return await measure({ browser, wire, link: up.ready.dashboard ?? '' });
    } finally {
      await browser.close();
      await wire.close();
      await up.stop();
      folder.remove();
    }
  },
};

interface Measured {
  readonly browser: Browser;
  readonly wire: Wire;
  readonly link: string;
}

async function measure({ browser, wire, link }: Measured): Promise<Row[]> {
  await createPods(wire, 20);
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(link);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const first = await entryMs(page, 'first-contentful-paint');
  const pods = `${new URL(link).origin}/r/core/v1/pods`;
  await page.goto(pods);
  await page.locator('[role=row] a').first().waitFor();
  const live = Number(await page.evaluate('performance.now()'));
  await createPods(wire, PODS_MANY - 20);
  await page.goto(pods);
  await page.getByText(String(PODS_MANY), { exact: true }).waitFor({ timeout: 60_000 });
  const megabytes = await heapMegabytes(page);
  const frames = await scrolled(browser, page);
  return [
    atMost({ name: 'dashboard, first paint cold', value: Math.round(first), unit: 'ms', reference: null }, 1000),
    atMost({ name: 'dashboard, live list', value: Math.round(live), unit: 'ms', reference: null }, 1500),
    atMost({ name: 'dashboard, heap of a tab with 10,000 pods', value: megabytes, unit: 'MB', reference: null }, 100),
    atMost(
      {
        name: 'dashboard, work per frame scrolling 10,000 pods, p95',
        value: Math.round(percentile(frames, 0.95) * 10) / 10,
        unit: 'ms',
        reference: { name: 'median', value: Math.round(percentile(frames, 0.5) * 10) / 10 },
      },
      8,
    ),
  ];
}

async function createPods(wire: Wire, count: number): Promise<void> {
  // Of a scheduler that nobody is: they stay as they are, and the machine is quiet.
  const spec = { schedulerName: 'nobody', containers: [{ name: 'c', image: 'nginx' }] };
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'many-' }, spec };
  for (let made = 0; made < count; made += AT_ONCE) {
    const round = Array.from({ length: Math.min(AT_ONCE, count - made) }, () =>
      wire.call({ verb: 'create', resource: PODS, namespace: 'default', body }),
    );
    await Promise.all(round);
  }
}

async function entryMs(page: Page, name: string): Promise<number> {
  return Number(await page.evaluate(`performance.getEntriesByName('${name}')[0]?.startTime`));
}

async function heapMegabytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return Math.round(usedSize / 2 ** 20);
}

/** Milliseconds of work for each frame, while the list moves by ten rows with every one. */
async function scrolled(browser: Browser, page: Page): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'binnacle-bench-'));
  const path = join(folder, 'trace.json');
  try {
    await browser.startTracing(page, { path, categories: FRAME_CATEGORIES });
    await page.evaluate(`new Promise((done) => {
      const list = document.querySelector('[role=table]');
      let left = ${FRAMES};
      const step = () => { list.scrollTop += 340; if (--left > 0) requestAnimationFrame(step); else done(); };
      requestAnimationFrame(step);
    })`);
    await browser.stopTracing();
    const { traceEvents } = JSON.parse(readFileSync(path, 'utf8')) as { readonly traceEvents: BrowserTraceEvent[] };
    return frameWork(traceEvents);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
