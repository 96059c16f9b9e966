/** The sidebar follows the reader: it marks what is at the top of the window, and opens its group. */

const sidebar = document.querySelector('.sidebar');

/** The links of the sidebar to places on this page, with these places. */
const places = [...(sidebar?.querySelectorAll('a[href^="#"]') ?? [])].flatMap((link) => {
  const place = document.getElementById(link.hash.slice(1));
  return place ? [{ link, place }] : [];
});

/** Part of the window, from its top, in which a place counts as reached. */
const reached = 0.25;

let marked;

/** Only the reader's group is open, and those that the reader has opened. */
function openGroupOf(link) {
  const group = link.closest('details');
  for (const other of sidebar.querySelectorAll('details[data-followed]')) {
    if (other !== group) {
      other.open = false;
      delete other.dataset.followed;
    }
  }
  if (group && !group.open) {
    group.open = true;
    group.dataset.followed = '';
  }
}

/** Scrolls the sidebar alone, so that the link is in its middle part. */
function showLink(link) {
  const top = link.getBoundingClientRect().top - sidebar.getBoundingClientRect().top;
  const height = sidebar.clientHeight;
  if (top < height * 0.15 || top > height * 0.8) sidebar.scrollTop += top - height / 3;
}

function mark(link) {
  if (link === marked) return;
  marked?.removeAttribute('aria-current');
  marked = link;
  if (!link) return;
  link.setAttribute('aria-current', 'true');
  openGroupOf(link);
  showLink(link);
}

function markReached() {
  const line = innerHeight * reached;
  const isReached = ({ place }) => place.getBoundingClientRect().top < line;
  // At its end, a page cannot scroll its last places to the top.
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  mark((isAtEnd ? places.at(-1) : places.findLast(isReached))?.link);
}

export function followReader() {
  if (places.length === 0) return;
  let isAsked = false;
  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      markReached();
    });
  };
  addEventListener('scroll', ask, { passive: true });
  addEventListener('resize', ask);
  ask();
}

/** @param onShow is called with each section that comes near the window, once. */
export function whenShown(sections, onShow) {
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
  for (const section of sections) shown.observe(section);
}
