/** Every lesson, done as it says: its commands are taken from the page and given to a shell, and the page has to see what happens. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { demandAccessible, enter, startScene } from './dashboard-scene.ts';
import type { DashboardScene } from './dashboard-scene.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STEP_MS = 150_000;
const OTHER = '# in another terminal';
const INTERRUPT = '# Ctrl-C in the other terminal';

let scene: DashboardScene;
let terminals: ChildProcess[] = [];
/** What the terminals of a lesson said: of one that fails, the reason. */
let said = '';

before(async () => {
  scene = await startScene();
  await enter(scene);
});

after(async () => {
  await closeTerminals();
  await scene?.stop();
});

/** A shell of its own group, as a terminal has it. */
function shell(commands: string): ChildProcess {
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
  return spawn('bash', ['-ec', commands], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, PATH: path, KUBECONFIG: scene.kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(commands: string): Promise<void> {
  if (commands.startsWith(OTHER)) {
    const terminal = shell(commands);
    for (const stream of [terminal.stdout, terminal.stderr])
      stream?.on('data', (piece: Buffer) => (said += piece.toString()));
    terminals.push(terminal);
    return;
  }
  if (commands.startsWith(INTERRUPT)) await closeTerminals();
  const child = shell(commands);
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => (told += piece.toString()));
  const timer = setTimeout(() => kill(child, 'SIGKILL'), STEP_MS);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  assert.equal(code, 0, `${commands}\n${told}`);
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
}

async function closeTerminals(): Promise<void> {
  const open = terminals.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  terminals = [];
  const ended = open.map((child) => once(child, 'exit'));
  for (const child of open) kill(child, 'SIGINT');
  await Promise.all(ended);
}

const LESSONS = [
  'how-a-pod-comes-to-run',
  'two-asked-never-three',
  'static-pods',
  'two-schedulers',
  'the-empty-server',
  'labels-zones-gpu',
  'the-image-that-is-there',
  'what-a-watch-is',
  'who-may-do-what',
  'three-etcd-members',
  'a-node-that-dies',
];

describe('lessons', () => {
  test('all are offered', async () => {
    const { page } = scene;
    await page.getByRole('link', { name: 'Lessons' }).click();
    await page.getByRole('link', { name: /^11\. / }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^\d+\. / }).count(), LESSONS.length);
    await demandAccessible(scene, 'lessons');
  });

  for (const name of LESSONS) {
    test(name, { timeout: 400_000 }, async () => {
      const { page, origin } = scene;
      await page.goto(`${origin}/lessons/${name}`);
      const steps = page.locator('section[data-state]');
      await steps.first().waitFor();
      const count = await steps.count();
      for (let at = 0; at < count; at++) {
        const step = steps.nth(at);
        await run((await step.locator('[data-commands]').textContent()) ?? '');
        const done = step.getByRole('button', { name: 'Done' });
        const seen = step.getByText('Seen', { exact: true });
        await done
          .or(seen)
          .waitFor({ timeout: STEP_MS })
          .catch((error: unknown) => assert.fail(`${String(error)}\n${said}`));
        if (await done.isVisible()) await done.click();
        await seen.waitFor();
      }
      await page.getByText('That was the lesson.').waitFor();
      await closeTerminals();
      said = '';
    });
  }

  test('the page was never at a loss, and Korean is there too', async () => {
    const { page, origin, complaints } = scene;
    await page.goto(`${origin}/lessons/a-node-that-dies`);
    await demandAccessible(scene, 'a lesson');
    await page.getByRole('button', { name: '한국어' }).click();
    await page.getByRole('heading', { name: '죽는 노드' }).waitFor();
    await demandAccessible(scene, 'a lesson in Korean');
    assert.deepEqual(complaints, []);
  });
});
