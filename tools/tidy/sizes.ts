/** Ceilings: file 800 lines, function 70 lines, 3 parameters, 15 imports. What exceeded them before may only shrink. */
import type { Report } from './imports.ts';
import { lineOf, walk } from './tree.ts';
import type { House, Node, SourceFile } from './tree.ts';

export const CEILINGS = { file: 800, function: 70, parameters: 3, imports: 15 };

/** Excess that is tolerated, by `measure:place`. */
export type Ratchet = Record<string, number>;

interface Finding {
  key: string;
  value: number;
  file: string;
  line: number;
  message: string;
}

function functionName(node: Node, parent: Node | undefined): string {
  const id = (node['id'] ?? parent?.['key'] ?? parent?.['id']) as { name?: string } | null | undefined;
  return id?.name ?? 'anonymous';
}

/** Functions of a file with the number of their lines. */
export function functionLengths(file: SourceFile): { name: string; line: number; value: number }[] {
  const found: { name: string; line: number; value: number }[] = [];
  walk(file.program, (node, parent) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    if (/^(describe|suite)$/.test(String((parent?.['callee'] as { name?: string } | undefined)?.name))) return;
    const line = lineOf(file, node.start);
    found.push({ name: functionName(node, parent), line, value: lineOf(file, node.end) - line + 1 });
  });
  return found;
}

function functionsOf(file: SourceFile): Finding[] {
  const found: Finding[] = [];
  walk(file.program, (node, parent) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    const name = functionName(node, parent);
    const line = lineOf(file, node.start);
    const lines = lineOf(file, node.end) - line + 1;
    const suite = /^(describe|suite)$/.test(String((parent?.['callee'] as { name?: string } | undefined)?.name));
    if (lines > CEILINGS.function && !suite && !file.isTest) {
      found.push({
        key: `function:${file.path}:${name}`,
        value: lines,
        file: file.path,
        line,
        message: `${name} has ${lines} lines`,
      });
    }
    const params = (node['params'] as unknown[]).length;
    if (params > CEILINGS.parameters && !file.isTest && node['body'] !== null) {
      found.push({
        key: `parameters:${file.path}:${name}`,
        value: params,
        file: file.path,
        line,
        message: `${name} has ${params} parameters`,
      });
    }
  });
  return found;
}

/** Everything over a ceiling. */
export function measure(house: House): Finding[] {
  const found: Finding[] = [];
  for (const file of house.files) {
    if (file.lines > CEILINGS.file) {
      found.push({
        key: `file:${file.path}`,
        value: file.lines,
        file: file.path,
        line: 1,
        message: `${file.lines} lines`,
      });
    }
    // What is imported for its type alone is gone when the program runs.
    const imports = file.imports.filter((edge) => !edge.typeOnly).length;
    const free = file.room.startsWith('apps/') || file.isTest || file.path.endsWith('/index.ts');
    if (imports > CEILINGS.imports && !free) {
      found.push({
        key: `imports:${file.path}`,
        value: imports,
        file: file.path,
        line: 1,
        message: `${imports} imports`,
      });
    }
    found.push(...functionsOf(file));
  }
  return found;
}

export function checkSizes(house: House, ratchet: Ratchet, report: Report): void {
  for (const { key, value, file, line, message } of measure(house)) {
    const tolerated = ratchet[key];
    if (tolerated === undefined || value > tolerated) {
      report(file, line, `${message}${tolerated === undefined ? '' : ` (was ${tolerated}: may only shrink)`}`);
    }
  }
}
