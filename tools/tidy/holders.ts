/** Each law of ARCHITECTURE.md says what holds it: checks of this tool by name, tests by path. One that names nothing is a wish. */

/** What a law may name. */
export interface Known {
  readonly checks: ReadonlySet<string>;
  readonly isTest: (path: string) => boolean;
}

const SECTION = /^## Laws\n([\s\S]*?)(?=^## |$(?![\s\S]))/m;
const LAW = /^(\d+)\. [\s\S]*?(?=^\d+\. |^$)/gm;
const HELD = /_Held by_: ([\s\S]+)$/;
const NAME = /`([^`]+)`/g;

/** A line for each law that nothing holds, and for each name that is none. */
export function unheld(architecture: string, { checks, isTest }: Known): string[] {
  const [, section = ''] = SECTION.exec(architecture) ?? [];
  const laws = [...section.matchAll(LAW)];
  if (laws.length === 0) return ['ARCHITECTURE.md:1: there are no laws under "## Laws"'];
  return laws.flatMap(([text, number]) => {
    const names = [...(HELD.exec(text)?.[1] ?? '').matchAll(NAME)].map(([, name = '']) => name);
    if (names.length === 0) return [`ARCHITECTURE.md:1: law ${number} names nothing that holds it: _Held by_: …`];
    return names
      .filter((name) => !checks.has(name) && !isTest(name))
      .map((name) => `ARCHITECTURE.md:1: law ${number} is held by ${name}, which is neither a check nor a test`);
  });
}
