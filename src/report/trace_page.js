// Shows what the page's controls select. All numbers are in the page's data, from the emulator. The
// script looks them up and adds the names of elements.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId('data').textContent);
  const drawings = byId('drawings').content.children;
  const tileDrawings = byId('tile-drawings').content.children;
  const lines = [...new Set(data.instructions.map((instruction) => instruction.line))];
  const warps = Math.ceil(data.block[0] * data.block[1] * data.block[2] / 32);

  // What is shown. Without a request: a costly one of the line, or its first. Without a lane: none.
  const view = {...data.view, request: undefined, lane: undefined};

  const grouped = (number) => number.toLocaleString('en-US');
  const clamped = (number, most) => Math.min(Math.max(number, 0), most);

  // --- What was recorded

  const instructionsOf = (line) => data.instructions.filter((one) => one.line === line);

  // The kind and the value at a place of [first, count, kind, value, distance], ….
  function found(runs, place) {
    const run = runs.find(([first, count]) => place >= first && place < first + count);
    return run && {kind: run[2], value: run[3] + (place - run[0]) * run[4]};
  }

  // The instruction's requests, as runs of steps, and what their addresses begin from.
  function runsOf(instruction, warp) {
    const [, start, way] = instruction.warps.find(([number]) => number === warp) ?? [];
    return {start, runs: data.ways[way] ?? []};
  }

  function requestAt(instruction, warp, step) {
    const {start, runs} = runsOf(instruction, warp), request = found(runs, step);
    return request && {...data.requests[request.kind], base: start + request.value};
  }

  const requestsAt = (line, warp, step) =>
    instructionsOf(line).map((one) => requestAt(one, warp, step)).filter(Boolean);

  // All steps in which the warp reaches the line, ascending.
  function stepsOf(line, warp) {
    const steps = new Set();
    for (const [first, count] of instructionsOf(line).flatMap((one) => runsOf(one, warp).runs)) {
      for (let i = 0; i < count; ++i) steps.add(first + i);
    }
    return [...steps].sort((a, b) => a - b);
  }

  // --- Names of places

  // Only the first index may be out of bounds.
  function indicesOf(place, extents) {
    const indices = [];
    for (const extent of extents.slice(1).reverse()) {
      const above = Math.floor(place / extent);
      indices.unshift(place - above * extent);
      place = above;
    }
    return [place, ...indices];
  }

  // The matrix or the shared array there; undefined for none.
  const arrayAt = (request, offset) => request.shared
    ? data.memory.arrays.find((one) => offset >= one.offset && offset < one.offset + one.bytes)
    : data.memory.matrices[request.buffer];

  const elementBytes = (request, offset) => arrayAt(request, offset)?.element_bytes ?? 4;

  function elementAt(request, offset) {
    const array = arrayAt(request, offset);
    if (!array) return {name: '', indices: [Math.floor(offset / 4)]};
    const place = Math.floor((offset - (array.offset ?? 0)) / array.element_bytes);
    return {name: array.name, indices: indicesOf(place, array.extents)};
  }

  const inBrackets = (indices) => indices.map((index) => `[${index}]`).join('');
  const elementText = ({name, indices}) => name + inBrackets(indices);

  // "A[3][4]", or of several elements "A[3][4…7]".
  function placeText(request, offset) {
    const first = elementAt(request, offset);
    const last = elementAt(request, offset + Math.max(request.bytes - elementBytes(request, offset), 0));
    if (elementText(first) === elementText(last)) return elementText(first);
    const row = first.indices.slice(0, -1);
    if (first.name !== last.name || inBrackets(row) !== inBrackets(last.indices.slice(0, -1))) {
      return `${elementText(first)} to ${elementText(last)}`;
    }
    return `${first.name}${inBrackets(row)}[${first.indices.at(-1)}…${last.indices.at(-1)}]`;
  }

  // Of the first active lane, as the request is named.
  const firstText = (request) =>
    elementText(elementAt(request, request.base + request.at.find((at) => at !== null)));

  function threadText(thread) {
    const [x, y, z] = data.block;
    const place = [thread % x, Math.floor(thread / x) % y, Math.floor(thread / x / y)];
    return `thread ${thread} (${place.slice(0, z > 1 ? 3 : 2).join(', ')})`;
  }

  function laneText(request, lane) {
    const at = request.at[lane];
    if (at === null) return `Lane ${lane} is not active.`;
    const offset = request.base + at;
    const bank = Math.floor(offset / 4) % 32;
    const unit = !request.shared ? `sector ${Math.floor(offset / 32) % 4} of its line`
      : request.bytes > 4 ? `banks ${bank} to ${bank + request.bytes / 4 - 1}` : `bank ${bank}`;
    const parts = [`Lane ${lane}`, threadText(32 * view.warp + lane), placeText(request, offset),
      `byte ${grouped(offset)}`, unit];
    const others = request.at.filter((other) => other === at).length - 1;
    if (others > 0) parts.push(`like ${others} other lane${others > 1 ? 's' : ''}`);
    if (request.lanesOutside?.includes(lane)) parts.push('out of bounds');
    return parts.join(' · ');
  }

  // --- The chosen request

  let requests = [], steps = [];

  function chosenRequest() {
    if (view.request !== undefined) return requests[Math.min(view.request, requests.length - 1)];
    return requests.find((request) => request.costly) ?? requests[0];
  }

  function showSource() {
    for (const link of document.querySelectorAll('.kernel a')) {
      link.removeAttribute('aria-current');
      if (Number(link.dataset.line) !== view.line) continue;
      link.setAttribute('aria-current', 'true');
      keepInSight(link, link.closest('ol'));
    }
  }

  // Scrolls only the box around it, not the page.
  function keepInSight(element, box) {
    const inner = element.getBoundingClientRect(), outer = box.getBoundingClientRect();
    const beyond = (begin, end, first, last) =>
      begin < first ? begin - first - 40 : end > last ? Math.min(end - last, begin - first) + 40 : 0;
    box.scrollTop += beyond(inner.top, inner.bottom, outer.top, outer.bottom);
    box.scrollLeft += beyond(inner.left, inner.right, outer.left, outer.right);
  }

  function showControls() {
    byId('warp').value = view.warp;
    byId('step').max = Math.max(steps.length - 1, 0);
    byId('step').value = steps.indexOf(view.step);
    byId('step').disabled = byId('step-play').disabled = steps.length < 2;
    byId('step-text').textContent =
      steps.length ? `${grouped(view.step)} of ${grouped(steps.at(-1) + 1)}` : 'none';
    byId('step').setAttribute('aria-valuetext', byId('step-text').textContent);
    byId('which').hidden = requests.length < 2;
    byId('request').replaceChildren(...requests.map((request, i) => new Option(
      `${i + 1} of ${requests.length}: ${firstText(request)}${request.costly ? ' !' : ''}`, i)));
    byId('request').value = requests.indexOf(chosenRequest());
  }

  function showRequest() {
    const request = chosenRequest();
    const text = (key) => request ? data.texts[request[key]] : '';
    byId('what').textContent = request
      ? `Line ${view.line} · ${text('kind')} from ${firstText(request)} on · ${text('lanes')}`
      : `Line ${view.line}: warp ${view.warp} does not access memory here`;
    for (const key of ['cost', 'outside', 'why', 'remedy']) byId(key).textContent = text(key);
    byId('drawing').replaceChildren(...request ? [named(drawings[request.drawing], request)] : []);
    showLane();
  }

  const nameColumns = 18;  // as memory_drawing.cpp shortens them

  // A copy of the drawing with the names of its rows.
  function named(drawing, request) {
    const copy = drawing.cloneNode(true);
    for (const row of copy.querySelectorAll('text[data-at]')) {
      const name = elementText(elementAt(request, request.base + Number(row.dataset.at)));
      row.textContent = name.length > nameColumns ? name.slice(0, nameColumns - 1) + '…' : name;
    }
    return copy;
  }

  const lanesOf = (cell) => cell.dataset.lanes.split(' ').map(Number);

  function showLane() {
    const request = chosenRequest();
    for (const cell of byId('drawing').querySelectorAll('[data-lanes]')) {
      cell.classList.toggle('chosen', lanesOf(cell).includes(view.lane));
    }
    const cell = byId('drawing').querySelector('.chosen') ?? byId('drawing').querySelector('[data-lanes]');
    if (cell) keepInSight(cell, byId('drawing'));
    byId('lane').textContent = request && view.lane !== undefined ? laneText(request, view.lane)
      : `Warp ${view.warp}, step ${grouped(view.step)}. Point at a lane for its thread and address.`;
  }

  // Corrects the selection to existing data, and shows it.
  function show() {
    if (!lines.length) return;
    if (!lines.includes(view.line)) view.line = lines[0];
    view.warp = clamped(view.warp, warps - 1);
    steps = stepsOf(view.line, view.warp);
    if (steps.length) view.step = steps.findLast((step) => step <= view.step) ?? steps[0];
    requests = requestsAt(view.line, view.warp, view.step);
    showSource();
    showControls();
    showRequest();
    writeHash();
  }

  function chooseLine(line) {
    if (line === undefined || line === view.line) return;
    view.line = line;
    view.request = undefined;
    show();
  }

  function chooseLane(lane) {
    if (lane === view.lane) return;
    view.lane = lane;
    showLane();
    writeHash();
  }

  function moveStep(by) {
    view.step = steps[clamped(steps.indexOf(view.step) + by, steps.length - 1)] ?? view.step;
    show();
  }

  function moveWarp(by) {
    view.warp += by;
    show();
  }

  const moveLine = (by) => chooseLine(lines[lines.indexOf(view.line) + by]);

  // --- Who loads what

  const cursors = {A: [0, 0], B: [0, 0], C: [0, 0]};  // the row and column in each tile

  // The tile in the step along K: where it lies, and its number among the drawings.
  function tileOf(matrix) {
    const number = matrix === 'C' ? data.tiles.C : data.tiles[matrix][view.tile];
    const tile = {...data.tiles.all[number], number};
    if (matrix === 'A') tile.column = view.tile * data.tiles.depth;
    if (matrix === 'B') tile.row = view.tile * data.tiles.depth;
    return tile;
  }

  function showTile(matrix) {
    const figure = byId('tile-' + matrix), tile = tileOf(matrix);
    const {row, column} = tile, lastRow = row + tile.rows - 1, lastColumn = column + tile.columns - 1;
    const copy = tileDrawings[tile.number].cloneNode(true);
    // The axes have the first and the last column, then the rows: one number where both are one.
    const ends = [...new Set([column, lastColumn]), ...new Set([row, lastRow])];
    copy.querySelectorAll('text.dim').forEach((text, i) => { text.textContent = ends[i]; });
    const range = (what, first, last) =>
      first === last ? `${what} ${first}` : `${what}s ${first} to ${last}`;
    const where = `${range('row', row, lastRow)}, ${range('column', column, lastColumn)}`;
    copy.setAttribute('aria-label', `${matrix}: ${where}`);
    figure.querySelector('figcaption span').textContent = where;
    figure.querySelector('.drawing').replaceChildren(copy);
  }

  function showTiles() {
    ['A', 'B', 'C'].forEach(showTile);
    byId('tile').value = view.tile;
    byId('tile-text').textContent = `${grouped(view.tile)} of ${grouped(data.tiles.A.length)}`;
    byId('tile').setAttribute('aria-valuetext', byId('tile-text').textContent);
    byId('owner').textContent = 'Point at an element for its thread and warp.';
    writeHash();
  }

  function ownerText(matrix, row, column) {
    const tile = tileOf(matrix);
    const {value: thread, kind: sharers} = found(tile.owners, row * tile.columns + column);
    const element = `${matrix}[${tile.row + row}][${tile.column + column}]`;
    const verb = matrix === 'C' ? 'store' : 'load';
    if (thread < 0) return `${element}: nobody ${verb}s it`;
    const who = `${threadText(thread)} of warp ${Math.floor(thread / 32)}`;
    if (!sharers) return `${element}: ${who} ${verb}s it`;
    return `${element}: ${who} and others ${verb} it, ${sharers > 1 ? 'of several warps' : 'all of that warp'}`;
  }

  // Highlights an element and shows its owner.
  function showOwner(matrix, row, column) {
    const tile = tileOf(matrix), drawing = byId('tile-' + matrix).querySelector('.drawing');
    cursors[matrix] = [clamped(row, tile.rows - 1), clamped(column, tile.columns - 1)];
    document.querySelectorAll('.tile .cursor').forEach((cursor) => cursor.remove());
    const frame = drawing.querySelector('.tile-frame'), cursor = frame.cloneNode();
    const [y, x] = cursors[matrix];
    cursor.setAttribute('class', 'cursor');
    cursor.setAttribute('d', `M${x} ${y}h1v1h-1z`);
    frame.parentNode.append(cursor);
    byId('owner').textContent = ownerText(matrix, y, x);
  }

  function pointAtTile(matrix, event) {
    const frame = event.currentTarget.querySelector('.tile-frame'), tile = tileOf(matrix);
    const {x, y} = new DOMPoint(event.clientX, event.clientY)
      .matrixTransform(frame.getScreenCTM().inverse());
    const [row, column] = [Math.floor(y), Math.floor(x)];
    if (row >= 0 && row < tile.rows && column >= 0 && column < tile.columns) {
      showOwner(matrix, row, column);
    }
  }

  // --- The address: #line=12&warp=0&step=3&lane=5

  function readHash() {
    const parameters = new URLSearchParams(location.hash.slice(1));
    const number = (key) => /^\d+$/.test(parameters.get(key)) ? Number(parameters.get(key)) : undefined;
    const line = number('line') ?? view.line;
    view.request = number('request') ?? (line === view.line ? view.request : undefined);
    view.line = line;
    view.warp = number('warp') ?? view.warp;
    view.step = number('step') ?? view.step;
    view.lane = number('lane') <= 31 ? number('lane') : view.lane;
    view.tile = clamped(number('tile') ?? view.tile, data.tiles.A.length - 1);
  }

  let writing;

  // Delayed, because browsers allow few changes per second and sliders make many.
  function writeHash() {
    clearTimeout(writing);
    writing = setTimeout(() => {
      const shown = Object.entries(view).filter(([, value]) => value !== undefined);
      history.replaceState(null, '', '#' + new URLSearchParams(shown));
    }, 200);
  }

  // --- Controls

  // Moves the slider to its end, twice per second.
  function addPlay(slider, button) {
    let timer;
    const stop = () => {
      clearInterval(timer);
      timer = undefined;
      button.textContent = 'Play';
    };
    const move = (to) => {
      slider.value = to;
      slider.dispatchEvent(new Event('input'));
    };
    button.addEventListener('click', () => {
      if (timer !== undefined) return stop();
      if (slider.value === slider.max) move(0);
      button.textContent = 'Stop';
      timer = setInterval(() => {
        move(Number(slider.value) + 1);
        if (slider.value === slider.max) stop();
      }, 500);
    });
  }

  const laneKeys = {
    ArrowLeft: (lane) => lane - 1, ArrowRight: (lane) => lane + 1, Home: () => 0, End: () => 31,
    ArrowUp: (lane) => lane - 8, ArrowDown: (lane) => lane + 8,
  };
  const elementKeys = {
    ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
  };
  const pageKeys = {
    j: () => moveLine(1), k: () => moveLine(-1), w: () => moveWarp(1), W: () => moveWarp(-1),
    ArrowLeft: () => moveStep(-1), ArrowRight: () => moveStep(1),
  };
  const sourceKeys = {ArrowDown: () => moveLine(1), ArrowUp: () => moveLine(-1)};

  // True if the focused element uses the key.
  function obey(key, target) {
    if (target.closest('#drawing') && laneKeys[key]) {
      chooseLane(view.lane === undefined ? 0 : clamped(laneKeys[key](view.lane), 31));
    } else if (target.closest('.tile-of') && elementKeys[key]) {
      const matrix = target.closest('.tile-of').id.slice(-1), [row, column] = cursors[matrix];
      showOwner(matrix, row + elementKeys[key][0], column + elementKeys[key][1]);
    } else if (target.closest('.kernel') && sourceKeys[key] && lines.length) {
      sourceKeys[key]();
      // Null if the line is in a function that the source does not show.
      document.querySelector('.kernel [aria-current]')?.focus({preventScroll: true});
    } else if (pageKeys[key] && lines.length) {
      pageKeys[key]();
    } else {
      return false;
    }
    return true;
  }

  function addAccessControls() {
    byId('warp').addEventListener('change', () => moveWarp(Number(byId('warp').value) - view.warp));
    byId('step').addEventListener('input', () => {
      view.step = steps[byId('step').value];
      show();
    });
    byId('request').addEventListener('change', () => {
      view.request = Number(byId('request').value);
      showRequest();
      writeHash();
    });
    addPlay(byId('step'), byId('step-play'));
    byId('drawing').tabIndex = 0;
    byId('drawing').addEventListener('pointerover', (event) => {
      const cell = event.target.closest('[data-lanes]');
      if (cell && !lanesOf(cell).includes(view.lane)) chooseLane(lanesOf(cell)[0]);
    });
  }

  function addTileControls() {
    byId('tile').disabled = byId('tile-play').disabled = data.tiles.A.length < 2;
    byId('tile').addEventListener('input', () => {
      view.tile = Number(byId('tile').value);
      showTiles();
    });
    addPlay(byId('tile'), byId('tile-play'));
    for (const matrix of ['A', 'B', 'C']) {
      const drawing = byId('tile-' + matrix).querySelector('.drawing');
      drawing.tabIndex = 0;
      drawing.addEventListener('pointermove', (event) => pointAtTile(matrix, event));
      drawing.addEventListener('pointerdown', (event) => pointAtTile(matrix, event));
    }
  }

  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, select') !== null;
    if (event.ctrlKey || event.altKey || event.metaKey || typing) return;
    if (obey(event.key, event.target)) event.preventDefault();
  });
  window.addEventListener('hashchange', () => {
    readHash();
    show();
    showTiles();
  });
  document.querySelectorAll('.controls').forEach((form) => { form.hidden = false; });
  if (lines.length) addAccessControls();
  addTileControls();
  readHash();
  show();
  showTiles();
})();
