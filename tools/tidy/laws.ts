/** All laws by name, and what is tolerated of old: a count per law and room that may only shrink. */
import { checkAbsence } from './absence.ts';
import { checkAmbient } from './ambient.ts';
import { checkBornOld } from './born-old.ts';
import { checkCauses } from './cause.ts';
import { checkChance } from './chance.ts';
import { checkDoors } from './doors.ts';
import { checkErrors, checkNoFloating, checkNoModuleState, checkNothingSwallowed } from './errors.ts';
import { checkHooks } from './hooks.ts';
import { checkImports } from './imports.ts';
import type { Report } from './imports.ts';
import { checkOrder } from './order.ts';
import { checkPolls } from './polls.ts';
import { checkProjects } from './projects.ts';
import { checkTables } from './tables.ts';
import type { House } from './tree.ts';

export interface Finding {
  law: string;
  file: string;
  line: number;
  message: string;
}

/** Findings that were there before their law, by `law room`. */
export type Tolerated = Record<string, number>;

const LAWS: Record<string, (house: House, report: Report) => void> = {
  imports: checkImports,
  order: checkOrder,
  ambient: checkAmbient,
  projects: checkProjects,
  absence: checkAbsence,
  errors: checkErrors,
  swallowed: checkNothingSwallowed,
  floating: checkNoFloating,
  'module-state': checkNoModuleState,
  cause: checkCauses,
  chance: checkChance,
  doors: checkDoors,
  polls: checkPolls,
  'born-old': checkBornOld,
  hooks: checkHooks,
  tables: checkTables,
};

/** What the laws' checks are called. */
export const CHECKS: ReadonlySet<string> = new Set(Object.keys(LAWS));

/** Every finding of every law, or of those that are named. */
export function findings(house: House, laws: readonly string[] = Object.keys(LAWS)): Finding[] {
  const found = new Map<string, Finding>();
  for (const law of laws) {
    LAWS[law]?.(house, (file, line, message) => found.set(`${file}:${line}: ${message}`, { law, file, line, message }));
  }
  return [...found.values()].sort((a, b) => a.file.localeCompare(b.file, 'en') || a.line - b.line);
}

function roomOf(path: string): string {
  return /^(packages|apps)\/[^/]+/.exec(path)?.[0] ?? (path.split('/')[0] as string);
}

/** How many findings there are by `law room`. */
export function counted(found: readonly Finding[]): Tolerated {
  const counts: Tolerated = {};
  for (const { law, file } of found) {
    const key = `${law} ${roomOf(file)}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** What is to be said: findings over what is tolerated (all of that law and room), and tolerance that nothing needs. */
export function judged(found: readonly Finding[], tolerated: Tolerated): string[] {
  const counts = counted(found);
  const over = found.filter(({ law, file }) => {
    const key = `${law} ${roomOf(file)}`;
    return (counts[key] ?? 0) > (tolerated[key] ?? 0);
  });
  const said = over.map(({ law, file, line, message }) => {
    const allowed = tolerated[`${law} ${roomOf(file)}`];
    return `${file}:${line}: ${message}${allowed === undefined ? '' : ` [${allowed} of these are tolerated here]`}`;
  });
  for (const [key, allowed] of Object.entries(tolerated)) {
    const now = counts[key] ?? 0;
    if (now < allowed) {
      said.push(`tools/tidy/tolerated.json:1: "${key}" is ${allowed}, there are ${now}: run npm run tidy -- --shrink`);
    }
  }
  return said;
}

/** The tolerance after some were mended: never more than before. */
export function shrunk(found: readonly Finding[], tolerated: Tolerated): Tolerated {
  const counts = counted(found);
  const left = Object.entries(tolerated).map(([key, allowed]) => [key, Math.min(allowed, counts[key] ?? 0)] as const);
  return Object.fromEntries(left.filter(([, count]) => count > 0).sort(([a], [b]) => a.localeCompare(b, 'en')));
}
