import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, complaint } from './testing/environment.ts';

const TRUE: readonly string[] = [
  // Quantities.
  "quantity('50k').isGreaterThan(quantity('20M')) == false",
  "quantity('1.5').isInteger() == false && quantity('50').asInteger() == 50",
  "quantity('50k').add(20).compareTo(quantity('50020')) == 0 && sign(quantity('-1')) == -1",
  "quantity('200M') == quantity('0.2G') && isQuantity('1.3Gi') && !isQuantity('Three Mega Chocolate Bars')",
  "quantity('1Gi').sub(quantity('1Gi')).asApproximateFloat() == 0.0",
  // Addresses.
  "ip('127.0.0.1').isLoopback() && ip('::1').family() == 6 && ip('fe80::1').isLinkLocalUnicast()",
  "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD') && !isIP('127.0.0.01') && !isIP('::ffff:1.2.3.4')",
  "cidr('192.168.0.0/24').containsIP('192.168.0.1') && !cidr('192.168.0.0/24').containsIP(ip('192.168.1.1'))",
  "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8'))",
  "string(cidr('192.168.1.5/24').masked()) == '192.168.1.0/24' && cidr('::/0').prefixLength() == 0",
  "string(cidr('192.168.0.1/24').ip()) == '192.168.0.1' && isCIDR('2001:db8::/32') && !isCIDR('10.0.0.0/33')",
  "ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast() && ip('ff02::1').isLinkLocalMulticast()",
  // URLs.
  "url('https://user@example.com:8080/a%20b?k=1&k=2&q').getHost() == 'example.com:8080'",
  "url('https://[::1]:80/path').getHostname() == '::1' && url('https://[::1]:80/path').getPort() == '80'",
  "url('/absolute').getScheme() == '' && url('/absolute').getEscapedPath() == '/absolute'",
  "url('https://e.com/?k=1&k=2&q').getQuery() == {'k': ['1', '2'], 'q': ['']}",
  "isURL('https://example.com') && !isURL('../relative') && !isURL(':x')",
  // Versions.
  "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-alpha').isLessThan(semver('1.0.0'))",
  "semver('v01.2', true).minor() == 2 && !isSemver('01.2.3') && isSemver('v1.2.3', true)",
  // Formats.
  "format.dns1123Label().validate('my-label').hasValue() == false && format.named('dns1123Label').hasValue()",
  "format.uuid().validate('x').value() == ['does not match the UUID format'] && !format.named('nope').hasValue()",
  // Lists and sets.
  "[3, 1, 2].isSorted() == false && [1, 2, 3].sum() == 6 && [1, 2, 3].max() == 3 && ['b', 'a'].min() == 'a'",
  '[1, 2, 2, 3].indexOf(2) == 1 && [1, 2, 2, 3].lastIndexOf(2) == 2 && [1, 2, 2].distinct() == [1, 2]',
  '[[1], [2, 3]].flatten() == [1, 2, 3] && [1, 2, 3].slice(1, 3) == [2, 3] && [2, 1].sort() == [1, 2]',
  "['aa', 'b'].sortBy(x, x.size()) == ['b', 'aa'] && lists.range(3) == [0, 1, 2] && [1, 2].reverse() == [2, 1]",
  'sets.contains([1, 2], [1]) && sets.equivalent([1, 1], [1]) && sets.intersects([1], [1, 2])',
  // Texts and patterns.
  "'abc 123'.find('[0-9]+') == '123' && '1 2 3'.findAll('[0-9]', 2) == ['1', '2'] && 'x'.find('y') == ''",
  "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'tacocat'.substring(4) == 'cat' && 'A\\u00c4'.lowerAscii() == 'a\\u00c4'",
  "'%s is %d or %.2f, %x'.format(['a', 1, 2.5, 255]) == 'a is 1 or 2.50, ff' && strings.quote('a\"b') == '\"a\\\\\"b\"'",
  // Two variables and optionals.
  "[10, 20].all(i, v, v == (i + 1) * 10) && {'a': 1}.exists(k, v, k == 'a' && v == 1)",
  "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2) == {'b': 4} && [1, 2].transformList(i, v, i + v) == [1, 3]",
  "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
  "optional.of(1).optMap(x, x + 1).orValue(0) == 2 && optional.none().hasValue() == false && {'a': 1}.?b.orValue(3) == 3",
  "{'a': [1]}[?'a'][?5].hasValue() == false && [?optional.of(1), ?optional.none()] == [1]",
  // Moments.
  "timestamp('2023-01-01T00:00:00Z') + duration('1h30m') > timestamp('2023-01-01T01:00:00Z')",
  "timestamp('2023-05-28T22:30:00Z').getHours('Asia/Tokyo') == 7 && timestamp('2023-05-28T00:00:00Z').getDayOfWeek() == 0",
  "timestamp('2023-05-28T00:00:00Z').getHours('-02:30') == 21 && string(duration('90m')) == '5400s'",
  // What fails beside a decision does no harm.
  '[1, 0].exists(x, 1 / x == 1) && (1 / 0 > 0 || true) && ![0, 1].all(x, 1 / x > 5)',
  "has({'a': 1}.a) && !has({'a': 1}.b) && '__proto__' in {'__proto__': 1} && !('constructor' in {'a': 1})",
];

for (const source of TRUE) {
  test(`holds: ${source}`, () => assert.equal(answer(source), true));
}

const WRONG: readonly (readonly [source: string, message: string])[] = [
  ["1 > 'a'", "ERROR: <input>:1:3: found no matching overload for '_>_' applied to '(int, string)'"],
  ['nope', "ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')"],
  ["'a'.nope()", "ERROR: <input>:1:9: undeclared reference to 'nope' (in container '')"],
  ["'a'.b", "ERROR: <input>:1:4: type 'string' does not support field selection"],
  ["[1, 'a']", "ERROR: <input>:1:5: expected type 'int' but found 'string'"],
  ['1 && true', "ERROR: <input>:1:1: expected type 'bool' but found 'int'"],
  ["'a'.matches('(')", 'ERROR: <input>:1:13: invalid matches argument'],
  ["duration('1x')", 'ERROR: <input>:1:10: invalid duration argument'],
  ["timestamp('x')", 'ERROR: <input>:1:11: invalid timestamp argument'],
  [
    '5.all(x, x > 0)',
    "ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['[1].all(x.y, true)', 'ERROR: <input>:1:10: argument must be a simple name'],
  ['has(a)', 'ERROR: <input>:1:5: invalid argument to has() macro'],
  ['cel.bind(x, 1, x)', "ERROR: <input>:1:10: undeclared reference to 'x' (in container '')"],
  ['1 = 2', "ERROR: <input>:1:3: Syntax error: token recognition error at: '='"],
  ["'a", "ERROR: <input>:1:1: Syntax error: token recognition error at: ''a'"],
  ['for', 'ERROR: <input>:1:1: Syntax error: reserved identifier: for'],
  ['1 / 0', 'division by zero'],
  ['9223372036854775807 + 1', 'integer overflow'],
  ["{'a': 1}['b']", 'no such key: b'],
  ['[1][1]', 'index out of bounds: 1'],
  ["quantity('x')", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['optional.none().value()', 'optional.none() dereference'],
  ["dyn(1) + dyn('a')", 'no such overload'],
  ["{'a': 1}.transformMapEntry(k, v, {'x': v}).transformMapEntry(k, v, {v: v}).map(k, 1 / 0)", 'division by zero'],
];

for (const [source, message] of WRONG) {
  test(`says what is wrong with ${source}`, () => assert.equal(complaint(source), message));
}
