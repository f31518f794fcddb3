/** Numbers as they are written: `1`, `0x1F`, `2u`, `1.5e-3`, `.5`. */
import { CompileError } from '../errors.ts';
import { Uint } from '../values.ts';

const NUMBER = /0x([0-9a-fA-F]+)([uU]?)|(\d*\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)|(\d+)([uU]?)/y;
const MAX = 2n ** 63n;
const UINT_MAX = 2n ** 64n - 1n;
/** More digits than any number of 64 bits has, leading zeros included. */
const DIGITS_MAX = 400;

/** A number that begins here, if one does. The smallest integer comes as 2^63, and only after a minus is it good. */
export function readNumber(source: string, at: number): { value: bigint | number | Uint; end: number } | undefined {
  NUMBER.lastIndex = at;
  const found = NUMBER.exec(source);
  if (found === null) return undefined;
  const end = NUMBER.lastIndex;
  const [, hex, hexSuffix, decimal, digits, suffix] = found;
  if (decimal !== undefined) {
    const value = Number(decimal);
    if (!Number.isFinite(value))
      throw new CompileError(source, [{ at, message: 'Syntax error: invalid double literal' }]);
    return { value, end };
  }
  const isUnsigned = (hexSuffix ?? suffix ?? '') !== '';
  const text = hex === undefined ? (digits ?? '') : `0x${hex}`;
  const value = text.length > DIGITS_MAX ? UINT_MAX + 1n : BigInt(text);
  if (value > (isUnsigned ? UINT_MAX : MAX)) {
    throw new CompileError(source, [{ at, message: `Syntax error: invalid ${isUnsigned ? 'uint' : 'int'} literal` }]);
  }
  return { value: isUnsigned ? new Uint(value) : value, end };
}
