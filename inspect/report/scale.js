// Numbers to places on the page, and the ticks beside them.

// For axes: 20k, 1.5M.
function axisNumber(value) {
  for (const [unit, sign] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (Math.abs(value) >= unit) return Number((value / unit).toPrecision(4)) + sign;
  }
  return value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(Number(value.toPrecision(6)));
}

function duration(seconds) {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 60) return Number(seconds.toFixed(1)) + ' s';
  const minutes = Math.floor(seconds / 60), hours = Math.floor(minutes / 60);
  if (hours > 0) return hours + ' h ' + (minutes % 60) + ' min';
  return minutes + ' min' + (seconds % 60 >= 1 ? ' ' + Math.floor(seconds % 60) + ' s' : '');
}

// The round step, 1, 2 or 5 times a power of ten, of which `span` holds about `count`.
function roundStep(span, count) {
  const raw = span / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(raw)));
  return power * [1, 2, 5, 10].find(factor => factor * power >= raw * 0.999);
}

// Steps that read well as a time: so many seconds, minutes, hours.
function timeStep(span, count) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  return steps.find(step => step >= span / Math.max(1, count)) || roundStep(span, count);
}

function multiples(step, low, high) {
  const ticks = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; ++n) ticks.push(n * step);
  return ticks;
}

// Round values spread over a logarithmic axis: powers of ten, with 2 and 5 between where there are few; the usual round
// steps where the range is narrow.
function logTicks(low, high, count) {
  if (high / low < 8) return multiples(roundStep(high - low, count), low, high);
  const ticks = [], factors = high / low < 1000 ? [1, 2, 5] : [1];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const factor of factors) {
      const tick = factor * Math.pow(10, power);
      if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
    }
  }
  const every = Math.ceil(ticks.length / Math.max(2, count));
  return ticks.filter((_, i) => i % every === 0);
}

// kind: 'linear', 'log' (of positive values) or 'time' (seconds). `from` and `to`: pixels.
function makeScale(kind, low, high, from, to, count) {
  if (!(high > low)) {
    const room = Math.abs(low) * 0.05 || 1;
    [low, high] = kind === 'log' ? [low / 1.05, low * 1.05] : [low - room, low + room];
  }
  const bend = kind === 'log' ? Math.log : value => value;
  const a = bend(low), b = bend(high);
  const step = kind === 'time' ? timeStep(high - low, count) : roundStep(high - low, count);
  return {
    at: value => from + (bend(value) - a) / (b - a) * (to - from),
    ticks: kind === 'log' ? logTicks(low, high, count) : multiples(step, low, high),
  };
}

// Mean over neighbours on both sides, which count the less the farther they are: `weight` to the power of the distance.
// It does not lag behind, as a mean over what came before would. Null where nothing is known.
function smoothed(values, weight) {
  const sums = values.map(value => value === null ? 0 : value), counts = values.map(value => value === null ? 0 : 1);
  for (const list of [sums, counts]) {
    const own = list.slice();
    for (let i = 1, before = own[0] * weight; i < own.length; ++i) {
      list[i] += before;
      before = (before + own[i]) * weight;
    }
    for (let i = own.length - 2, after = own[own.length - 1] * weight; i >= 0; --i) {
      list[i] += after;
      after = (after + own[i]) * weight;
    }
  }
  return values.map((value, i) => value === null ? null : sums[i] / counts[i]);
}
