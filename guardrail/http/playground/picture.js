// The part of the page's script for pictures. It follows page.js in the same script, and uses its functions.

/**
 * The response of `/playground/picture`.
 * @typedef {object} RedactedPicture
 * @property {string} action
 * @property {string} [picture] a data URL; absent if the picture was refused
 * @property {string} [blocked_reason]
 * @property {{ reason: string, polygon: { x: number, y: number }[] }[]} masks
 * @property {number} unread_lines
 */

const file = element('file', HTMLInputElement);
const drop = at('drop');
const SVG = 'http://www.w3.org/2000/svg';

/**
 * @param {Blob} picture
 * @returns {Promise<string>} a data URL
 */
function dataUrlOf(picture) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(new Problem('The file cannot be read.', file)));
    reader.readAsDataURL(picture);
  });
}

/**
 * Shows the areas that are painted over, each with its number in the list of reasons.
 * @param {RedactedPicture['masks']} masks
 */
function showMasks(masks) {
  const picture = element('after', HTMLImageElement);
  const outlines = document.createElementNS(SVG, 'svg');
  outlines.setAttribute('viewBox', `0 0 ${picture.naturalWidth} ${picture.naturalHeight}`);
  outlines.setAttribute('aria-hidden', 'true');
  for (const { polygon, reason } of masks) {
    const outline = document.createElementNS(SVG, 'polygon');
    outline.setAttribute('points', polygon.map(({ x, y }) => `${x},${y}`).join(' '));
    const title = document.createElementNS(SVG, 'title');
    title.textContent = reason;
    outline.append(title);
    outlines.append(outline);
  }
  at('outlines').replaceChildren(outlines);
  at('masks').replaceChildren(
    ...masks.map(({ reason }, index) => {
      const item = document.createElement('li');
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'quiet';
      button.textContent = reason === 'unread' ? 'text that could not be read' : reason;
      const mark = (/** @type {boolean} */ isMarked) => outlines.children[index]?.classList.toggle('marked', isMarked);
      for (const event of ['pointerenter', 'focus']) button.addEventListener(event, () => mark(true));
      for (const event of ['pointerleave', 'blur']) button.addEventListener(event, () => mark(false));
      item.append(button);
      return item;
    }),
  );
}

/** @param {RedactedPicture} answer */
function pictureVerdict({ action, blocked_reason: reason, masks, unread_lines: unread }) {
  if (action === 'BLOCKED') return `Nothing. The user receives this message: ${reason}`;
  const painted =
    masks.length === 0 ? 'Nothing is painted over.' : `${plural(masks.length, 'area is', 'areas are')} painted over.`;
  return unread === 0 ? painted : `${painted} ${plural(unread, 'line', 'lines')} could not be read.`;
}

/** @param {Blob} picture */
async function checkPicture(picture) {
  at('picture-problem').hidden = true;
  at('picture-result').hidden = true;
  at('status').textContent = 'Checking the picture.';
  submission += 1;
  const mine = submission;
  try {
    const before = await dataUrlOf(picture);
    /** @type {RedactedPicture} */
    const answer = await post('playground/picture', { picture: before, ...overrides() });
    if (mine !== submission) return;
    element('before', HTMLImageElement).src = before;
    const after = element('after', HTMLImageElement);
    at('after-part').hidden = answer.picture === undefined;
    after.src = answer.picture ?? '';
    if (answer.picture !== undefined) await after.decode();
    showMasks(answer.masks);
    at('picture-verdict').textContent = pictureVerdict(answer);
    at('picture-result').hidden = false;
    at('status').textContent = `Checked: ${at('picture-verdict').textContent}`;
  } catch (error) {
    at('picture-problem').textContent =
      error instanceof Problem ? error.message : 'The page cannot show this file: choose a PNG, JPEG or WebP picture.';
    at('picture-problem').hidden = false;
  }
}

/** @param {DataTransfer | null} data what was dropped or pasted */
function pictureIn(data) {
  return [...(data?.files ?? [])].find(({ type }) => type.startsWith('image/'));
}

file.addEventListener('change', () => {
  const [picture] = file.files ?? [];
  if (picture) void checkPicture(picture);
});
drop.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  const picture = pictureIn(event.dataTransfer);
  if (picture) void checkPicture(picture);
});
// A text that is pasted goes into its field.
addEventListener('paste', (event) => {
  const picture = pictureIn(event.clipboardData);
  if (!picture) return;
  event.preventDefault();
  void checkPicture(picture);
});
