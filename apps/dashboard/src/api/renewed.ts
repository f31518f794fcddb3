import { again } from './again.ts';

/** The script that a page starts with: its name changes with its content. */
const SCRIPT = 'script[type="module"][src]';

/**
 * Whether the dashboard's server has another page by now than the one that is shown, as after an upgrade: the parts of this
 * one are gone. False where the server does not say.
 */
export async function isRenewed(): Promise<boolean> {
  const started = document.querySelector(SCRIPT)?.getAttribute('src');
  if (started === undefined || started === null) return false;
  try {
    const reply = await again(() => fetch('/', { cache: 'no-store' }));
    return reply.ok && !(await reply.text()).includes(`"${started}"`);
  } catch (error) {
    // The way there is broken: nobody knows.
    if (error instanceof TypeError) return false;
    throw error;
  }
}
