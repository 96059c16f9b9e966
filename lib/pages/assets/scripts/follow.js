/** The sidebar follows the reader: it marks the operation at the top of the window, and opens its group. */

const links = new Map(
  [...document.querySelectorAll('.sidebar a[data-operation]')].map((link) => [link.hash.slice(1), link]),
);

function mark(link) {
  if (!link || link.ariaCurrent) return;
  for (const other of links.values()) other.removeAttribute('aria-current');
  link.setAttribute('aria-current', 'true');
  const group = link.closest('details');
  for (const other of document.querySelectorAll('.sidebar details[data-followed]')) {
    if (other !== group) {
      other.open = false;
      delete other.dataset.followed;
    }
  }
  if (!group.open) {
    group.open = true;
    // Groups that the reader opened stay open.
    group.dataset.followed = '';
  }
  link.scrollIntoView({ block: 'nearest' });
}

/** @param onShow is called with each section that comes near the window, once. */
export function followReader(onShow) {
  const atTop = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) mark(links.get(target.id));
    },
    { rootMargin: '-12% 0px -80% 0px' },
  );
  const shown = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        shown.unobserve(target);
        onShow(target);
      }
    },
    { rootMargin: '200px 0px' },
  );
  for (const section of document.querySelectorAll('section.operation')) {
    atTop.observe(section);
    shown.observe(section);
  }
}
