// SPDX-License-Identifier: MIT
// The names of include/backhaul/names.def in its order: a name's code on the wire is its index.
// Index 0 stands for a literal name. A dot marks an attribute that is a live property.
const list = (s) => s.split(' ');
export const TAGS = list(' div span p a button input label ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tfoot tr th td caption form fieldset legend select option optgroup datalist textarea output progress meter section article header footer main nav aside figure figcaption pre code em strong small br hr img dl dt dd blockquote details summary dialog time video audio source track canvas col colgroup wbr kbd svg g path circle ellipse rect line polyline polygon text tspan defs foreignObject math');
export const ATTRS = list(' class id style title type name .value value placeholder href src alt for rel target role min max step width height rows cols colspan rowspan maxlength tabindex autocomplete list label lang aria-label disabled .checked .selected checked readonly required multiple hidden open autofocus novalidate contenteditable draggable spellcheck aria-expanded aria-pressed aria-hidden aria-selected aria-current');
export const EVENTS = list(' click input change submit keydown keyup focusin focusout dblclick contextmenu mousedown mouseup mouseover mouseout pointerdown pointermove pointerup wheel scroll toggle reset');
