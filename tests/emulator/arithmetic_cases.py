#!/usr/bin/env python3
"""arithmetic_cases.py [--all] FILE: writes instructions, operands and results, worked out with exact fractions.

The lines are those of instruction_cases.txt, with eight rows for each instruction, or with --all as many as are worked
out. Registers are rs, r and rd of 16, 32 and 64 bits, and p, a predicate. Nothing here is shared with the emulator; the
rules are those of NVIDIA's "PTX ISA", and for the NaNs of FP64 an H200's.
"""
import math
import random
import sys
from fractions import Fraction
from decimal import Decimal, getcontext

getcontext().prec = 60
random.seed(23)
out = []


class Format:
    def __init__(self, name, bits, fraction, least):
        self.name, self.bits, self.fraction, self.least = name, bits, fraction, least
        self.exponent_bits = bits - 1 - fraction
        self.infinity = ((1 << self.exponent_bits) - 1) << fraction
        self.sign = 1 << (bits - 1)
        self.nan = self.sign - 1
        self.register = {16: 'rs', 32: 'r', 64: 'rd'}[bits]

    def value(self, bits):
        """(negative, a Fraction, or 'inf' or 'nan')"""
        negative, size = bool(bits & self.sign), bits & (self.sign - 1)
        if size > self.infinity:
            return negative, 'nan'
        if size == self.infinity:
            return negative, 'inf'
        exponent, digits = size >> self.fraction, size & ((1 << self.fraction) - 1)
        if exponent:
            digits |= 1 << self.fraction
        place = max(exponent, 1) - 1 + self.least - self.fraction
        result = Fraction(digits) * Fraction(2) ** place
        return negative, -result if negative else result

    def rounded(self, x, mode='rn', negative_zero=False):
        """The bits of a Fraction."""
        if x == 0:
            return self.sign if negative_zero else 0
        negative, size = x < 0, abs(x)
        exponent = max(floor_log2(size), self.least)
        quantum = Fraction(2) ** (exponent - self.fraction)
        whole, rest = divmod(size / quantum, 1)
        up = {'rn': rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
              'rz': False, 'rm': negative and rest > 0, 'rp': not negative and rest > 0}[mode]
        whole += up
        bits = int(whole) + ((exponent - self.least) << self.fraction)
        if bits >= self.infinity:
            inward = mode == 'rz' or (mode == 'rp' and negative) or (mode == 'rm' and not negative)
            bits = self.infinity - 1 if inward else self.infinity
        return bits | (self.sign if negative else 0)

    def some(self, count=6):
        one = ((1 << (self.exponent_bits - 1)) - 1) << self.fraction
        values = [0, self.sign, 1, self.sign | 3, self.infinity - 1, self.infinity,
                  self.infinity | self.sign, self.nan - 5, 1 << self.fraction, one, one + 1]
        for _ in range(count):
            values.append(random.getrandbits(self.bits))
        for _ in range(count):  # of middling size
            spread = min(3, self.exponent_bits - 2)
            exponent = (one >> self.fraction) + random.randint(-spread, spread)
            values.append(exponent << self.fraction | random.getrandbits(self.fraction)
                          | (self.sign if random.random() < 0.3 else 0))
        return values


def floor_log2(x):
    guess = x.numerator.bit_length() - x.denominator.bit_length()
    return guess if Fraction(2) ** guess <= x else guess - 1


f16, bf16 = Format('f16', 16, 10, -14), Format('bf16', 16, 7, -126)
f32, f64 = Format('f32', 32, 23, -126), Format('f64', 64, 52, -1022)
modes = ['rn', 'rz', 'rm', 'rp']


def emit(name, registers, row):
    out.append((name, registers, ' '.join(f'{v:#x}' for v in row)))


def is_nan(fmt, bits):
    return fmt.value(bits)[1] == 'nan'


def passed_on(fmt, result, operands):
    """FP64 passes the first NaN of the operands on, made quiet, or has one of its own."""
    if fmt is not f64 or not is_nan(fmt, result):
        return result
    nans = [bits for bits in operands if is_nan(fmt, bits)]
    return nans[0] | 1 << 51 if nans else 0xfff8 << 48


def converted(source, to, bits, mode='rn'):
    """To another format. From FP64 and to it a NaN keeps its sign and the upper part of its fraction."""
    if not is_nan(source, bits):
        return bits_of(to, source.value(bits), mode)
    if (source, to) == (bf16, f32):
        return bits << 16
    if f64 not in (source, to):
        return to.nan
    fraction = Fraction(bits & ((1 << source.fraction) - 1), 1 << source.fraction)
    quiet = 1 << (to.fraction - 1)
    return (to.sign * bool(bits & source.sign) | to.infinity | quiet
            | math.floor(fraction * (1 << to.fraction)))


def plus(fmt, a, b, mode):
    """Of (negative, value) each."""
    (sa, x), (sb, y) = a, b
    if 'nan' in (x, y) or (x == y == 'inf' and sa != sb):
        return fmt.nan
    for s, v in (a, b):
        if v == 'inf':
            return fmt.infinity | (fmt.sign if s else 0)
    negative = sa if sa == sb else mode == 'rm'
    return fmt.rounded(x + y, mode, negative)


def times(a, b):
    (sa, x), (sb, y) = a, b
    negative = sa != sb
    if 'nan' in (x, y) or ('inf' in (x, y) and 0 in (x, y)):
        return negative, 'nan'
    return (negative, 'inf') if 'inf' in (x, y) else (negative, x * y)


def bits_of(fmt, value, mode='rn'):
    negative, x = value
    if x == 'nan':
        return fmt.nan
    if x == 'inf':
        return fmt.infinity | (fmt.sign if negative else 0)
    return fmt.rounded(x, mode, negative)


def quotient(a, b):
    (sa, x), (sb, y) = a, b
    negative = sa != sb
    if 'nan' in (x, y) or (x == 'inf' and y == 'inf') or (x == 0 and y == 0):
        return negative, 'nan'
    if x == 'inf' or y == 0:
        return negative, 'inf'
    return (negative, Fraction(0)) if y == 'inf' else (negative, x / y)


def root(fmt, a, mode):
    negative, x = a
    if x == 'nan' or (negative and x != 0):
        return fmt.nan
    if x in (0, 'inf'):
        return bits_of(fmt, a)
    scale = 1 << 800  # far more places than any format's; what is lost is made visible
    square = x * scale * scale
    whole = math.isqrt(square.numerator // square.denominator)
    exact = whole * whole == square
    return fmt.rounded(Fraction(2 * whole + (not exact), 2 * scale), mode)


def binary(fmt, operation, a, b, mode):
    x, y = fmt.value(a), fmt.value(b)
    if operation == 'add':
        result = plus(fmt, x, y, mode)
    elif operation == 'sub':
        result = plus(fmt, x, (not y[0], y[1] if y[1] in ('nan', 'inf') else -y[1]), mode)
    elif operation == 'mul':
        result = bits_of(fmt, times(x, y), mode)
    else:
        result = bits_of(fmt, quotient(x, y), mode)
    return passed_on(fmt, result, (a, b) if operation == 'div' else (b, a))


def fused(fmt, a, b, c, mode):
    result = plus(fmt, times(fmt.value(a), fmt.value(b)), fmt.value(c), mode)
    return passed_on(fmt, result, (b, c, a))


def clamp(fmt, bits):
    negative, x = fmt.value(bits)
    if x == 'nan' or negative or x == 0:
        return 0
    one = fmt.rounded(Fraction(1))
    return one if x == 'inf' or x >= 1 else bits


def relu(fmt, bits):
    negative, x = fmt.value(bits)
    return fmt.nan if x == 'nan' else 0 if negative or x == 0 else bits


def flush(fmt, bits):
    small = not bits & fmt.infinity
    return bits & fmt.sign if small else bits


def least(fmt, a, b, most, keep_nan):
    (sa, x), (sb, y) = fmt.value(a), fmt.value(b)
    if x == 'nan' or y == 'nan':
        if keep_nan or x == y:
            return fmt.nan
        return b if x == 'nan' else a
    rank = lambda s, v: (-1 if s else 1) * (float('inf') if v == 'inf' else abs(v))
    p, q = rank(sa, x), rank(sb, y)
    if p == q:
        a_is_less = sa
    else:
        a_is_less = p < q
    return (b if a_is_less else a) if most else (a if a_is_less else b)


def pairs(fmt, count):
    values = fmt.some(4)
    return [(random.choice(values), random.choice(values)) for _ in range(count)]


def triples(fmt, count):
    values = fmt.some(6)
    rows = [tuple(random.choice(values) for _ in range(3)) for _ in range(count)]
    one = fmt.rounded(Fraction(1))
    # A product halfway between two numbers, and the least that can decide.
    rows.append((one + 1, one + (1 << (fmt.fraction - 1)), 1))
    rows.append((one + 1, one + (1 << (fmt.fraction - 1)), fmt.sign | 1))
    rows.append((one + 1, one + 1, fmt.sign | (one + 2)))
    return rows


def as_pair(rows, results):
    """Two rows of 16 bits as one of 32."""
    for k in range(len(rows)):
        other = (k + 1) % len(rows)
        yield ([a | b << 16 for a, b in zip(rows[k], rows[other])]
               + [results[k] | results[other] << 16])


def narrow(name, fmt, rows, function):
    results = [function(*row) for row in rows]
    sources = len(rows[0])
    for row, result in zip(rows, results):
        emit(f'{name}.{fmt.name}', ' '.join(['rs'] * (sources + 1)), list(row) + [result])
    for row in as_pair(rows, results):
        emit(f'{name}.{fmt.name}x2', ' '.join(['r'] * (sources + 1)), row)


for fmt in (f16, bf16):
    for operation in ('add', 'sub', 'mul'):
        for rounding in ('', '.rn'):
            narrow(operation + rounding, fmt, pairs(fmt, 16),
                   lambda a, b: binary(fmt, operation, a, b, 'rn'))
        if fmt is f16:
            narrow(operation + '.sat', fmt, pairs(fmt, 12),
                   lambda a, b: clamp(fmt, binary(fmt, operation, a, b, 'rn')))
            narrow(operation + '.ftz', fmt, pairs(fmt, 12), lambda a, b: flush(fmt, binary(
                fmt, operation, flush(fmt, a), flush(fmt, b), 'rn')))
    narrow('fma.rn', fmt, triples(fmt, 24), lambda a, b, c: fused(fmt, a, b, c, 'rn'))
    narrow('fma.rn.relu', fmt, triples(fmt, 12),
           lambda a, b, c: relu(fmt, fused(fmt, a, b, c, 'rn')))
    if fmt is f16:
        narrow('fma.rn.sat', fmt, triples(fmt, 12),
               lambda a, b, c: clamp(fmt, fused(fmt, a, b, c, 'rn')))
    for name, most in (('min', False), ('max', True)):
        narrow(name, fmt, pairs(fmt, 20), lambda a, b: least(fmt, a, b, most, False))
        narrow(name + '.NaN', fmt, pairs(fmt, 20), lambda a, b: least(fmt, a, b, most, True))
    values = [(v,) for v in fmt.some(2)] + [(fmt.nan | fmt.sign,)]
    narrow('neg', fmt, values, lambda a: fmt.nan if is_nan(fmt, a) else a ^ fmt.sign)
    narrow('abs', fmt, values, lambda a: fmt.nan if is_nan(fmt, a) else a & ~fmt.sign)

for fmt in (f32, f64):
    r = fmt.register
    for mode in ['rz', 'rm', 'rp']:
        for operation in ('add', 'sub', 'mul', 'div'):
            if fmt is f32 or operation != 'sub':
                for a, b in pairs(fmt, 16):
                    emit(f'{operation}.{mode}.{fmt.name}', f'{r} {r} {r}',
                         [a, b, binary(fmt, operation, a, b, mode)])
        for row in triples(fmt, 16):
            emit(f'fma.{mode}.{fmt.name}', f'{r} {r} {r} {r}', list(row) + [fused(fmt, *row, mode)])
    for mode in modes:
        for a in fmt.some(3):
            one = (False, Fraction(1))
            emit(f'rcp.{mode}.{fmt.name}', f'{r} {r}',
                 [a, passed_on(fmt, bits_of(fmt, quotient(one, fmt.value(a)), mode), (a,))])
            emit(f'sqrt.{mode}.{fmt.name}', f'{r} {r}',
                 [a, passed_on(fmt, root(fmt, fmt.value(a), mode), (a,))])
    for name, most in (('min', False), ('max', True)):
        if fmt is f32:
            for a, b in pairs(fmt, 16):
                emit(f'{name}.NaN.f32', 'r r r', [a, b, least(fmt, a, b, most, True)])
                emit(f'{name}.ftz.f32', 'r r r',
                     [a, b, flush(fmt, least(fmt, flush(fmt, a), flush(fmt, b), most, False))])

tiny = [1, 0x80000003, 0x007fffff, 0x00800000, 0x80800001, 0x3f800000, 0x00c00000, 0x3f000000,
        0x40490fdb, 0xbf99999a, 0x7f800000, 0x7fc00001, 0, 0x80000000]
for operation in ('add', 'sub', 'mul', 'div'):
    for mode in ('', '.rn', '.rz') if operation != 'div' else ('.rn', '.rz'):
        for _ in range(12):
            a, b = random.choice(tiny), random.choice(tiny)
            plain = binary(f32, operation, flush(f32, a), flush(f32, b), mode[1:] or 'rn')
            emit(f'{operation}{mode}.ftz.f32', 'r r r', [a, b, flush(f32, plain)])
            if operation != 'div':
                plain = binary(f32, operation, a, b, mode[1:] or 'rn')
                emit(f'{operation}{mode}.sat.f32', 'r r r', [a, b, clamp(f32, plain)])
                plain = binary(f32, operation, flush(f32, a), flush(f32, b), mode[1:] or 'rn')
                emit(f'{operation}{mode}.ftz.sat.f32', 'r r r', [a, b, clamp(f32, flush(f32, plain))])
for mode in modes:
    for _ in range(12):
        row = [random.choice(tiny) for _ in range(3)]
        emit(f'fma.{mode}.ftz.f32', 'r r r r',
             row + [flush(f32, fused(f32, *[flush(f32, v) for v in row], mode))])
        emit(f'fma.{mode}.sat.f32', 'r r r r', row + [clamp(f32, fused(f32, *row, mode))])

# Two floats in 64 bits.
for operation in ('add', 'mul'):
    for mode in modes:
        for (a, b), (c, d) in zip(pairs(f32, 10), pairs(f32, 10)):
            emit(f'{operation}.{mode}.f32x2', 'rd rd rd', [
                a | c << 32, b | d << 32,
                binary(f32, operation, a, b, mode) | binary(f32, operation, c, d, mode) << 32])
for mode in modes:
    for low, high in zip(triples(f32, 8), reversed(triples(f32, 8))):
        emit(f'fma.{mode}.f32x2', 'rd rd rd rd',
             [a | b << 32 for a, b in zip(low, high)]
             + [fused(f32, *low, mode) | fused(f32, *high, mode) << 32])

# --- Conversions
floats = {'f16': f16, 'bf16': bf16, 'f32': f32, 'f64': f64}
integers = ['s8', 'u8', 's16', 'u16', 's32', 'u32', 's64', 'u64']


def width(name):
    return int(name.lstrip('sufb'))


def register_of(name):
    return {8: 'rs', 16: 'rs', 32: 'r', 64: 'rd'}[width(name)]


def span(name):
    bits = width(name)
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if name[0] == 's' else (0, (1 << bits) - 1)


def in_register(name, value):
    """A value of 8 bits is extended to its register's 16."""
    return value & ((1 << max(width(name), 16)) - 1)


def some_integers(name):
    low, high = span(name)
    values = [0, 1, low, high, high - 1, high // 2 + 1]
    values += [random.randint(low, high) for _ in range(3)]
    values += [min(high, random.getrandbits(random.randint(2, width(name)))) for _ in range(3)]
    return values


def integral(x, how):
    return {'rni': round, 'rzi': math.trunc, 'rmi': math.floor, 'rpi': math.ceil}[how](x)


for name, fmt in floats.items():
    boundary = [Fraction(5, 2), Fraction(7, 2), Fraction(-1, 2), Fraction(-127), Fraction(255),
                Fraction(-129), Fraction(40000), Fraction(1 << 31), Fraction(-(1 << 31))]
    for how in ('rni', 'rzi', 'rmi', 'rpi'):
        for to in integers:
            low, high = span(to)
            if name == 'bf16' and width(to) == 8:
                continue  # not in the language
            for a in [fmt.rounded(v) for v in boundary] + fmt.some(2):
                negative, x = fmt.value(a)
                if x == 'nan':
                    wide = name == 'f64' or width(to) == 64
                    result = 1 << (width(to) - 1) if wide else 0
                elif x == 'inf':
                    result = low if negative else high
                else:
                    result = min(high, max(low, integral(x, how)))
                if x == 'nan' and width(to) == 8 and name == 'f64':
                    continue  # not said
                emit(f'cvt.{how}.{to}.{name}', f'{register_of(to)} {fmt.register}',
                     [a, in_register(to, result)])
        if name in ('bf16',):
            continue
        for a in [fmt.rounded(v) for v in boundary] + fmt.some(2):
            negative, x = fmt.value(a)
            result = bits_of(fmt, (negative, x if x in ('nan', 'inf') else Fraction(integral(x, how))))
            emit(f'cvt.{how}.{name}.{name}', f'{fmt.register} {fmt.register}',
                 [a, passed_on(fmt, result, (a,))])
    for mode in modes:
        for source in integers:
            if name == 'bf16' and width(source) == 8:
                continue
            for value in some_integers(source):
                emit(f'cvt.{mode}.{name}.{source}', f'{fmt.register} {register_of(source)}',
                     [in_register(source, value), fmt.rounded(Fraction(value), mode)])

for source, to in [('f64', 'f32'), ('f64', 'f16'), ('f64', 'bf16'), ('f32', 'f16'), ('f32', 'bf16')]:
    a_format, fmt = floats[source], floats[to]
    ties = []
    for v in fmt.some(4):
        negative, x = fmt.value(v & ~1)
        if x in ('nan', 'inf'):
            continue
        step = fmt.value((v & ~1 & ~fmt.sign) + 1)[1]
        if step in ('nan', 'inf'):
            continue
        tie = a_format.rounded((abs(x) + step) / 2)
        ties += [tie, tie + 1, max(tie - 1, 0) | a_format.sign]
    for mode in modes if (source, to) not in [('f64', 'f16'), ('f64', 'bf16')] else ['rn']:
        for a in a_format.some(3) + ties:
            result = converted(a_format, fmt, a, mode)
            emit(f'cvt.{mode}.{to}.{source}', f'{fmt.register} {a_format.register}', [a, result])
            if mode in ('rn', 'rz') and source == 'f32':
                emit(f'cvt.{mode}.relu.{to}.f32', 'rs r', [a, relu(fmt, result)])
            if to == 'f32' and mode in ('rn', 'rm'):
                emit(f'cvt.{mode}.ftz.f32.f64', 'r rd', [a, flush(f32, result)])
            if (source, to, mode) in [('f64', 'f32', 'rn'), ('f32', 'f16', 'rn')]:
                emit(f'cvt.{mode}.sat.{to}.{source}', f'{fmt.register} {a_format.register}',
                     [a, clamp(fmt, result)])
    if source == 'f32':
        values = a_format.some(4) + ties
        for mode in ('rn', 'rz'):
            for high, low in zip(values, reversed(values)):
                x, y = (converted(f32, fmt, v, mode) for v in (high, low))
                emit(f'cvt.{mode}.{to}x2.f32', 'r r r', [high, low, x << 16 | y])
                emit(f'cvt.{mode}.relu.{to}x2.f32', 'r r r',
                     [high, low, relu(fmt, x) << 16 | relu(fmt, y)])
for source in ('f16', 'bf16', 'f32'):
    for a in floats[source].some(4):
        if source != 'f32':
            emit(f'cvt.f32.{source}', 'r rs', [a, converted(floats[source], f32, a)])
        if source != 'bf16':
            emit(f'cvt.f64.{source}', f'rd {floats[source].register}',
                 [a, converted(floats[source], f64, a)])
for a in f32.some(4):
    emit('cvt.sat.f32.f32', 'r r', [a, clamp(f32, a)])
    emit('cvt.ftz.f64.f32', 'rd r', [a, converted(f32, f64, flush(f32, a))])
    emit('cvt.rzi.ftz.s32.f32', 'r r', [a, 0 if f32.value(a)[1] == 'nan' else in_register(
        's32', (span('s32')[not f32.value(a)[0]]) if f32.value(a)[1] == 'inf' else min(
            span('s32')[1], max(span('s32')[0], math.trunc(f32.value(a)[1]))))])
    if f32.value(a)[1] not in ('nan', 'inf'):
        up = 0 if flush(f32, a) & 0x7fffffff == 0 else math.ceil(f32.value(a)[1])
        emit('cvt.rpi.ftz.s32.f32', 'r r',
             [a, in_register('s32', min(span('s32')[1], max(span('s32')[0], up)))])

for source in integers:
    for to in integers:
        low, high = span(to)
        for value in some_integers(source):
            registers = f'{register_of(to)} {register_of(source)}'
            bits = value & ((1 << width(to)) - 1)
            cut = bits - (1 << width(to)) if bits > high else bits
            if source != to:
                emit(f'cvt.{to}.{source}', registers,
                     [in_register(source, value), in_register(to, cut)])
                if low > span(source)[0] or high < span(source)[1]:  # else nothing can be clamped
                    emit(f'cvt.sat.{to}.{source}', registers,
                         [in_register(source, value), in_register(to, min(high, max(low, value)))])

# --- Comparisons
names = {'lt': 1, 'eq': 2, 'le': 3, 'gt': 4, 'ne': 5, 'ge': 6, 'num': 7, 'nan': 8, 'ltu': 9,
         'equ': 10, 'leu': 11, 'gtu': 12, 'neu': 13, 'geu': 14}


def relation(fmt, a, b):
    (sa, x), (sb, y) = fmt.value(a), fmt.value(b)
    if 'nan' in (x, y):
        return 8
    rank = lambda s, v: (-1 if s else 1) * (float('inf') if v == 'inf' else abs(v))
    p, q = rank(sa, x), rank(sb, y)
    return 1 if p < q else 2 if p == q else 4


for name, holds in names.items():
    for fmt in (f16, bf16, f64):
        r = fmt.register
        rows = pairs(fmt, 12) + [(v, v) for v in fmt.some(1)] + [(0, fmt.sign)]
        for a, b in rows:
            emit(f'setp.{name}.{fmt.name}', f'p {r} {r}', [a, b, bool(holds & relation(fmt, a, b))])
        if fmt is f64:
            continue
        one = fmt.rounded(Fraction(1))
        found = [bool(holds & relation(fmt, a, b)) for a, b in rows]
        for (a, b), yes in zip(rows, found):
            emit(f'set.{name}.{fmt.name}.{fmt.name}', 'rs rs rs', [a, b, one * yes])
            emit(f'set.{name}.u32.{fmt.name}', 'r rs rs', [a, b, 0xffffffff * yes])
        for row in as_pair(rows, [one * yes for yes in found]):
            emit(f'set.{name}.{fmt.name}x2.{fmt.name}x2', 'r r r', row)
        for row in as_pair(rows, [0xffff * yes for yes in found]):
            emit(f'set.{name}.u32.{fmt.name}x2', 'r r r', row)
    for a, b in pairs(f32, 12) + [(0, f32.sign), (1, f32.sign | 1)]:
        emit(f'set.{name}.u32.f32', 'r r r', [a, b, 0xffffffff * bool(holds & relation(f32, a, b))])
        emit(f'set.{name}.f32.f32', 'r r r', [a, b, 0x3f800000 * bool(holds & relation(f32, a, b))])
        yes = bool(holds & relation(f32, flush(f32, a), flush(f32, b)))
        emit(f'setp.{name}.ftz.f32', 'p r r', [a, b, yes])
for name, holds in (('lt', 1), ('ge', 6)):
    for a, b in pairs(f32, 8):
        for with_it in (0, 1):
            yes = bool(holds & relation(f32, a, b))
            emit(f'setp.{name}.and.f32', 'p r r p', [a, b, with_it, yes and with_it])
            emit(f'setp.{name}.or.f32', 'p r r p', [a, b, with_it, yes or with_it])
            emit(f'set.{name}.xor.u32.f32', 'r r r p', [a, b, with_it, 0xffffffff * (yes != with_it)])

# --- Approximations: correctly rounded


def to_fraction(x):
    return Fraction(x)


PI = Decimal('3.14159265358979323846264338327950288419716939937510582097494459230781640628620899')


def series(x, first, start):
    total, term, n = Decimal(0), first, start
    while abs(term) > Decimal(10) ** -55:
        total += term
        n += 2
        term = -term * x * x / ((n - 1) * n)
    return total


def decimal(x):
    return Decimal(x.numerator) / Decimal(x.denominator)


def exp2(x):
    return (decimal(x) * Decimal(2).ln()).exp()


def tanh(x):
    e = (2 * decimal(x)).exp()
    return (e - 1) / (e + 1)


for bits in [0x3f800000, 0x40400000, 0x3f000000, 0xc0500000, 0x3dcccccd, 0xbf99999a, 0x40c90fdb]:
    x = f32.value(bits)[1]
    emit('ex2.approx.f32', 'r r', [bits, f32.rounded(Fraction(exp2(x)))])
    emit('ex2.approx.ftz.f32', 'r r', [bits, f32.rounded(Fraction(exp2(x)))])
    emit('tanh.approx.f32', 'r r', [bits, f32.rounded(Fraction(tanh(x)))])
    emit('sin.approx.f32', 'r r', [bits, f32.rounded(Fraction(series(decimal(x), decimal(x), 1)))])
    emit('cos.approx.f32', 'r r', [bits, f32.rounded(Fraction(series(decimal(x), Decimal(1), 0)))])
    if x > 0:
        emit('lg2.approx.f32', 'r r',
             [bits, f32.rounded(Fraction(decimal(x).ln() / Decimal(2).ln()))])
        emit('rsqrt.approx.f32', 'r r', [bits, f32.rounded(Fraction(1 / decimal(x).sqrt()))])
        emit('sqrt.approx.f32', 'r r', [bits, root(f32, f32.value(bits), 'rn')])
    emit('rcp.approx.f32', 'r r', [bits, f32.rounded(1 / x)])
    for other in (0x40490fdb, 0xbdcccccd):
        y = f32.value(other)[1]
        emit('div.approx.f32', 'r r r', [bits, other, f32.rounded(x / y)])
        emit('div.full.f32', 'r r r', [bits, other, f32.rounded(x / y)])
    half = f16.rounded(x)
    y = f16.value(half)[1]
    emit('ex2.approx.f16', 'rs rs', [half, f16.rounded(Fraction(exp2(y)))])
    emit('tanh.approx.f16', 'rs rs', [half, f16.rounded(Fraction(tanh(y)))])
    emit('ex2.approx.f16x2', 'r r', [half | half << 16, f16.rounded(Fraction(exp2(y))) * 0x10001])
    emit('tanh.approx.f16x2', 'r r', [half | half << 16, f16.rounded(Fraction(tanh(y))) * 0x10001])
    brain = bf16.rounded(x)
    y = bf16.value(brain)[1]
    emit('ex2.approx.ftz.bf16', 'rs rs', [brain, bf16.rounded(Fraction(exp2(y)))])
    emit('tanh.approx.bf16', 'rs rs', [brain, bf16.rounded(Fraction(tanh(y)))])
    emit('ex2.approx.ftz.bf16x2', 'r r',
         [brain | brain << 16, bf16.rounded(Fraction(exp2(y))) * 0x10001])
    emit('tanh.approx.bf16x2', 'r r',
         [brain | brain << 16, bf16.rounded(Fraction(tanh(y))) * 0x10001])

rows_of = {}
for name, registers, row in dict.fromkeys(out):
    rows_of.setdefault((name, registers), []).append(row)
with open(sys.argv[-1], 'w') as file:
    for (name, registers), rows in sorted(rows_of.items()):
        count = len(rows) if '--all' in sys.argv else min(8, len(rows))
        print(f"{name} | {registers} | {', '.join(random.sample(rows, count))}", file=file)
