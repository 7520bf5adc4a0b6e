# The same in Perl, with what comes with it: perl play.pl http://127.0.0.1:8000 study 5
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;

my ($url, $study, $rounds) = @ARGV;
my $http = HTTP::Tiny->new(default_headers => { 'Content-Type' => 'application/json',
    ($ENV{KEY} ? (Authorization => "Bearer $ENV{KEY}") : ()) });

sub call {
    my ($path, $body) = @_;
    my $answer = $http->post("$url/v1/studies/$study/$path", { content => encode_json($body) });
    die "$answer->{status}: $answer->{content}\n" unless $answer->{success};
    return decode_json($answer->{content});
}

for (1 .. $rounds) {
    my $asked = call('ask', {});
    my ($next) = @{ $asked->{suggestions} } or die "$asked->{finished}\n";
    my $flow = 3 - ($next->{values}{valve} - 0.3)**2;    # here the machine is set, and measured
    print call("rounds/$next->{token}/tell", { value => $flow })->{status}{told}, "\n";
}
